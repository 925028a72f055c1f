#include "preload/libmalloc/lock.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/libmalloc/pages.h"

namespace ftprof::libmalloc {
namespace {

constexpr int kSpins = 100;  // the lock is held for less than a sleep and a wake cost

uintptr_t self() {
  return static_cast<uintptr_t>(pthread_self());
}

void futex(std::atomic<uint32_t>& word, int operation, uint32_t value) {
  ErrnoKept keep;
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), operation | FUTEX_PRIVATE_FLAG, value,
          nullptr, nullptr, 0);
}

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

bool Lock::acquire() {
  uint32_t free = 0;
  if (word_.compare_exchange_strong(free, 1, std::memory_order_acquire)) return true;
  if (fork_thread_.load(std::memory_order_relaxed) == self()) return false;
  wait();
  return true;
}

void Lock::wait() {
  for (int i = 0; i < kSpins; ++i) {
    uint32_t free = 0;
    if (word_.load(std::memory_order_relaxed) == 0 &&
        word_.compare_exchange_weak(free, 1, std::memory_order_acquire)) {
      return;
    }
    pause();
  }
  while (word_.exchange(2, std::memory_order_acquire) != 0) futex(word_, FUTEX_WAIT, 2);
}

void Lock::release() {
  if (word_.exchange(0, std::memory_order_release) == 2) futex(word_, FUTEX_WAKE, 1);
}

void Lock::hold_for_fork() {
  if (acquire()) fork_thread_.store(self(), std::memory_order_relaxed);
}

void Lock::release_in_parent() {
  if (fork_thread_.load(std::memory_order_relaxed) != self())
    return;  // a fork inside a fork handler
  fork_thread_.store(0, std::memory_order_relaxed);
  release();
}

void Lock::release_in_child() {
  fork_thread_.store(0, std::memory_order_relaxed);
  word_.store(0, std::memory_order_release);  // whoever slept on it stayed in the parent
}

}  // namespace ftprof::libmalloc
