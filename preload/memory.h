// Memory of the library's own, straight from the kernel and populated at once, so that its faults
// are counted here as the profiler's and never appear inside one of the program's.
#pragma once

#include <stddef.h>
#include <sys/mman.h>

#include "preload/own_ranges.h"
#include "preload/state.h"
#include "preload/sys.h"

namespace ftprof {

// Counts the minor faults of this thread between construction and destruction as the profiler's.
class OwnFaults {
 public:
  OwnFaults() : before_(now()) {}
  ~OwnFaults() { add_self_faults(now() - before_); }
  OwnFaults(const OwnFaults&) = delete;

 private:
  static uint64_t now() {
    rusage usage{};
    sys::getrusage(RUSAGE_THREAD, &usage);
    return static_cast<uint64_t>(usage.ru_minflt);
  }
  uint64_t before_;
};

// Zeroed; nullptr when there is none, or when a seccomp filter forbids asking.
inline void* own_memory(size_t bytes) {
  if (g_state.sealed.load(std::memory_order_relaxed)) return nullptr;
  OwnFaults faults;
  void* memory =
      sys::map(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE);
  if (sys::failed(memory)) return nullptr;
  note_own_range(memory, bytes);
  return memory;
}

// The same without populating: for large tables of which little is used, by the collector, whose
// own faults are counted with the thread's.
inline void* own_lazy_memory(size_t bytes) {
  void* memory = sys::map_private(bytes);
  if (memory != nullptr) note_own_range(memory, bytes);
  return memory;
}

// Makes the pages of a static object present.
inline void populate(void* begin, size_t bytes) {
  OwnFaults faults;
  uintptr_t first = reinterpret_cast<uintptr_t>(begin) & ~(g_state.page_bytes - 1);
  sys::advise(reinterpret_cast<void*>(first), reinterpret_cast<uintptr_t>(begin) + bytes - first,
              MADV_POPULATE_WRITE);
}

}  // namespace ftprof
