// The life of a process image, in one place: what happens at the constructor, at the first tracked
// block, and in fork, vfork, exec, exit, _exit, unshare and a seccomp filter.
//
// | event              | what happens | | ------------------ |
// --------------------------------------------------------------------------- | | constructor |
// settings, names, clock; nothing is written, no thread                       | | first block, mark
// | the image begins: folder, metadata, Process …, streams, collector           | | fork, bare
// clone   | memory that the kernel wipes tells the child that it is one; at its own first | | |
// block it begins an image of its own, whose trace starts with what it inherited | | vfork,
// posix_spawn | the child runs in our memory: it never ends the parent's image              | |
// exec               | last drain; should exec fail, the collector starts again at the next block |
// | exit, quick_exit,  | last drain, from the library's destructor (after the program's handlers)
// or | | _exit              | from the hook | | abort, a signal    | nothing: the trace is whole up
// to the last event at any instruction         | | unshare, setns     | the collector ends before
// the call, and starts again at the next block      | | seccomp            | from then on program
// threads make no system call of the library's           |
//
// Nobody waits without bound, in any of them.
#pragma once

#include <stdint.h>

namespace ftprof {

// Idempotent; the constructor's work, or the first large request's if that comes earlier.
void initialise();
bool initialised();

// Whether records may be written; begins the image when this is the first. Called without any lock.
bool ensure_running();
// The same, but an image that has not begun stays so: for releases and range operations.
bool running_here();

void before_exit();               // _exit, _Exit, quick_exit, and the destructor
void before_exec();               // any exec function
void before_unshare(bool alone);  // alone: the call wants a process of one thread
void before_seccomp(bool all_threads);

// Which image of this memory's history it is: 1 in the first process, more after forks.
uint32_t image_number();
// The path of the program, "" when it cannot be known.
const char* program_path();

}  // namespace ftprof
