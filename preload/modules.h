// The loaded objects, as Module and ModuleGone events.
//
// An object is announced when code in it is first met: on a stack, or (by the collector) at a
// fault. Lookups go through the loader's lock-free _dl_find_object, never through dl_iterate_phdr:
// a thread inside a dl_iterate_phdr callback may be waiting for a lock that the thread in the hook
// holds.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "preload/stack_walk.h"

namespace ftprof {

// Makes sure that the object that holds `pc` is in the trace. Any thread, the collector too.
void note_code(uintptr_t pc);

// After a dlclose: objects that are gone get their ModuleGone, and what was remembered about code
// is forgotten.
void forget_unloaded_code();
// How often code was unloaded: equal addresses before and after are different code.
uint32_t unload_count();

// A new image's trace knows no module yet.
void forget_modules();

// The library's own code, and the allocator's (empty when that is libc: it maps memory without
// passing through the hooks).
CodeRange own_code();
CodeRange allocator_code();
// The constructor's part: finds the two ranges.
void find_code_ranges(uintptr_t allocators_malloc);

}  // namespace ftprof
