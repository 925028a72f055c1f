// What a preloaded library cannot reach, found out and said: an allocator that stands before us in
// the program's symbol order, a program that brings its own malloc.
#pragma once

namespace ftprof {

// The constructor's part: looks, says one line if malloc is not ours, and returns the one that does
// the work: the next one, or the one in front.
const void* find_scope(const void* next_malloc);
// The image's part: the same as a note in the trace.
void write_scope_notes();

}  // namespace ftprof
