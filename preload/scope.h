// What a preloaded library cannot reach, found out and said: an allocator that stands before us in
// the program's symbol order, a program that brings its own malloc.
#pragma once

namespace ftprof {

// The constructor's part: looks, and says one line if malloc is not ours.
void find_scope();
// The image's part: the same as a note in the trace.
void write_scope_notes();

}  // namespace ftprof
