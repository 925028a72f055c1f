// The threads of this process, from /proc/self/task. For the collector: system calls only.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ftprof {

inline constexpr size_t kThreadNameBytes = 16;

// The ids of the threads that exist now, at most `most`; 0 when there is no /proc.
size_t list_threads(int* tids, size_t most);

// The thread's name as the kernel knows it; false when it is gone.
bool read_thread_name(int tid, char (&name)[kThreadNameBytes]);

// Reads a small file of /proc whole: bytes read (a 0 is put behind them), or -errno.
long read_small_file(const char* path, char* to, size_t bytes);

}  // namespace ftprof
