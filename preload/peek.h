// Reads this process's memory through the kernel, for memory that another thread may unmap at any
// moment: an object that is being closed just now. A hole is a short count, not a fault.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

#include "preload/stack_walk.h"
#include "preload/state.h"
#include "preload/sys.h"

namespace ftprof {

// Bytes copied; 0 when nothing could be. Where the call is forbidden (some containers), the memory
// is probed and copied, which leaves an instant for it to go. A sealed program thread copies at
// once: all it may look at is code of its own stack, which stays.
inline size_t peek(void* to, uintptr_t from, size_t bytes) {
  iovec local{to, bytes}, remote{reinterpret_cast<void*>(from), bytes};
  if (!g_state.sealed.load(std::memory_order_relaxed)) {
    long copied = sys::call(SYS_process_vm_readv, g_state.pid, sys::as_long(&local), 1,
                            sys::as_long(&remote), 1, 0);
    if (copied != -EPERM && copied != -ENOSYS) return copied > 0 ? static_cast<size_t>(copied) : 0;
    if (!probe_readable(from) || !probe_readable(from + bytes - 1)) return 0;
  }
  memcpy(to, remote.iov_base, bytes);
  return bytes;
}

template <class T>
bool peek(T* to, uintptr_t from) {
  return peek(to, from, sizeof *to) == sizeof *to;
}

}  // namespace ftprof
