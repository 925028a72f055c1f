// The loaded objects, as Module and ModuleGone events.
//
// An object is announced when code in it is first met: on a stack, or (by the collector) at a
// fault. Lookups go through the loader's lock-free _dl_find_object where there is one (glibc 2.35),
// never through dl_iterate_phdr in a hook: a thread inside a dl_iterate_phdr callback may be
// waiting for a lock that the thread in the hook holds.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ftprof {

// Makes sure that the object that holds `pc` is in the trace. Any thread, the collector too.
void note_code(uintptr_t pc);

}  // namespace ftprof
