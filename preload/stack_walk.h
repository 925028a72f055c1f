// Walks the calling thread's stack: return addresses, innermost first, without the library's own.
//
// By call frame information; by frame pointers where code has none (JIT, assembler), as far as they
// look sane. Takes no lock, allocates nothing, needs little stack. Memory that is not known to be
// this stack is probed before it is read, so that junk at the end of a coroutine's stack, or wrong
// unwind tables, end the walk and not the program.
//
// libunwind was tried and left: it takes the loader's lock through dl_iterate_phdr (a thread in a
// callback of the program's may hold it and wait for us), allocates thread-local storage with
// malloc, probes memory by system calls that a seccomp filter may answer with death, and has to be
// kept from capturing the program's exception unwinding. What is needed of it fits into two files.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ftprof {

// The part of the present stack that is known to be readable. One per thread, zero at first.
struct StackBounds {
  uintptr_t low = 0, high = 0;
};

// Fills at most `most` frames; returns how many. `own` is skipped at the innermost end.
struct CodeRange {
  uintptr_t begin = 0, end = 0;
};
size_t walk_stack(uintptr_t* frames, size_t most, CodeRange own, StackBounds* bounds,
                  bool may_probe);

// Whether eight bytes at `address` can be read; asks the kernel.
bool probe_readable(uintptr_t address);

}  // namespace ftprof
