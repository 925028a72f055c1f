// Every system call of the library, as the kernel returns it: a value, or -errno.
//
// Raw on purpose: these never touch errno (a hook must leave it alone), never pass through another
// preload's open() or clock_gettime(), are no cancellation points, and need no thread-local
// storage, so that the collector's thread, which libc does not know, may use them too. Time comes
// from the vDSO's own symbol for the same reasons.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

namespace ftprof::sys {

#if defined(__x86_64__)
inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                 long f = 0) {
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "+a"(number)
               : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return number;
}
#elif defined(__aarch64__)
inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                 long f = 0) {
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0"
               : "+r"(x0)
               : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
               : "memory");
  return x0;
}
#else
#error "ftprof's preload library knows x86-64 and aarch64"
#endif

inline bool failed(long result) {
  return static_cast<unsigned long>(result) >= -4095UL;
}
inline bool failed(const void* result) {
  return failed(reinterpret_cast<long>(result));
}
inline long as_long(const void* pointer) {
  return reinterpret_cast<long>(pointer);
}

// Files. Nothing here restarts after EINTR: the callers that can meet it say what they do.
inline int open_at(int dir, const char* path, int flags, mode_t mode = 0) {
  return static_cast<int>(call(SYS_openat, dir, as_long(path), flags | O_CLOEXEC, mode));
}
inline long close(int fd) {
  return call(SYS_close, fd);
}
inline long read(int fd, void* to, size_t bytes) {
  return call(SYS_read, fd, as_long(to), static_cast<long>(bytes));
}
inline long write(int fd, const void* from, size_t bytes) {
  return call(SYS_write, fd, as_long(from), static_cast<long>(bytes));
}
inline long pread(int fd, void* to, size_t bytes, uint64_t offset) {
  return call(SYS_pread64, fd, as_long(to), static_cast<long>(bytes), static_cast<long>(offset));
}
inline long pwrite(int fd, const void* from, size_t bytes, uint64_t offset) {
  return call(SYS_pwrite64, fd, as_long(from), static_cast<long>(bytes), static_cast<long>(offset));
}
inline long fallocate(int fd, int mode, uint64_t offset, uint64_t bytes) {
  return call(SYS_fallocate, fd, mode, static_cast<long>(offset), static_cast<long>(bytes));
}
inline long ftruncate(int fd, uint64_t bytes) {
  return call(SYS_ftruncate, fd, static_cast<long>(bytes));
}
inline long mkdir_at(int dir, const char* path, mode_t mode) {
  return call(SYS_mkdirat, dir, as_long(path), mode);
}
inline long unlink_at(int dir, const char* path, int flags) {
  return call(SYS_unlinkat, dir, as_long(path), flags);
}
inline long readlink_at(int dir, const char* path, char* to, size_t bytes) {
  return call(SYS_readlinkat, dir, as_long(path), as_long(to), static_cast<long>(bytes));
}
inline long fstat(int fd, struct stat* to) {
  return call(SYS_fstat, fd, as_long(to));
}
inline long ioctl(int fd, unsigned long request, long argument) {
  return call(SYS_ioctl, fd, static_cast<long>(request), argument);
}
inline long getdents(int fd, void* to, size_t bytes) {
  return call(SYS_getdents64, fd, as_long(to), static_cast<long>(bytes));
}
inline long close_range(unsigned first, unsigned last, unsigned flags) {
  return call(SYS_close_range, first, last, flags);
}

// Memory. map() returns an address or a value for failed().
inline void* map(void* at, size_t bytes, int prot, int flags, int fd = -1, uint64_t offset = 0) {
  return reinterpret_cast<void*>(call(SYS_mmap, as_long(at), static_cast<long>(bytes), prot, flags,
                                      fd, static_cast<long>(offset)));
}
inline long unmap(void* at, size_t bytes) {
  return call(SYS_munmap, as_long(at), static_cast<long>(bytes));
}
inline long advise(void* at, size_t bytes, int advice) {
  return call(SYS_madvise, as_long(at), static_cast<long>(bytes), advice);
}
inline long mincore(void* at, size_t bytes, unsigned char* to) {
  return call(SYS_mincore, as_long(at), static_cast<long>(bytes), as_long(to));
}
// The node of each page, or -errno for one that is not resident. Nothing is moved.
inline long where_pages(size_t count, void** pages, int* nodes) {
  return call(SYS_move_pages, 0, static_cast<long>(count), as_long(pages), 0, as_long(nodes), 0);
}
// Private zeroed memory of the library's own; nullptr when there is none.
inline void* map_private(size_t bytes) {
  void* memory = map(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  return failed(memory) ? nullptr : memory;
}

// Processes and threads.
inline int getpid() {
  return static_cast<int>(call(SYS_getpid));
}
inline int getppid() {
  return static_cast<int>(call(SYS_getppid));
}
inline int gettid() {
  return static_cast<int>(call(SYS_gettid));
}
inline void yield() {
  call(SYS_sched_yield);
}
inline long getrusage(int who, struct rusage* to) {
  return call(SYS_getrusage, who, as_long(to));
}
inline long getrandom(void* to, size_t bytes) {
  return call(SYS_getrandom, as_long(to), static_cast<long>(bytes), 1 /* GRND_NONBLOCK */);
}
inline long get_limit(int resource, struct rlimit* to) {
  return call(SYS_prlimit64, 0, resource, 0, as_long(to));
}
inline long sleep_ns(uint64_t ns) {
  timespec time{static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
  return call(SYS_nanosleep, as_long(&time), 0);
}
// Waits while *word is `expected`, for at most `ns` (relative). Other processes never share these.
inline long futex_wait(const void* word, uint32_t expected, uint64_t ns) {
  timespec time{static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
  return call(SYS_futex, as_long(word), FUTEX_WAIT | FUTEX_PRIVATE_FLAG, expected, as_long(&time));
}
inline long futex_wake(const void* word, int waiters) {
  return call(SYS_futex, as_long(word), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, waiters);
}

// The clock of the trace. Before find_clock() (the library's constructor) a system call answers.
void find_clock();
uint64_t monotonic_ns();
uint64_t realtime_ns();
// CPU time of this thread, or of the process (CLOCK_THREAD_CPUTIME_ID, CLOCK_PROCESS_CPUTIME_ID).
inline uint64_t cpu_ns(long clock) {
  timespec time{};
  call(SYS_clock_gettime, clock, as_long(&time));
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
}
unsigned cpu();   // the CPU this thread runs on right now; only a hint
unsigned node();  // likewise its NUMA node

}  // namespace ftprof::sys
