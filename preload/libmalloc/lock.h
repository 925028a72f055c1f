// The allocator's one lock: held for the few dozen instructions that search or change the ring and
// the registry, never over a system call other than its own futex.
//
// Functions that touch shared state take a `const Held&`, so that none can be called without it.
//
// fork: the forking thread takes the lock before and keeps it until after, in both processes, so
// the child finds both tables whole. In between, other libraries' fork handlers may allocate on
// that same thread; it passes through, as nobody can be in the middle of a change.
#pragma once

#include <atomic>
#include <cstdint>

namespace ftprof::libmalloc {

class Lock {
 public:
  void hold_for_fork();
  void release_in_parent();
  void release_in_child();

 private:
  friend class Held;
  bool acquire();  // false: this thread holds it already, for a fork
  void release();
  void wait();

  std::atomic<uint32_t> word_{0};          // 0 free, 1 held, 2 held and someone may sleep
  std::atomic<uintptr_t> fork_thread_{0};  // pthread_self(), which the child's thread shares
};

class Held {
 public:
  explicit Held(Lock& lock) : lock_(lock), acquired_(lock.acquire()) {}
  ~Held() {
    if (acquired_) lock_.release();
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  Lock& lock_;
  bool acquired_;
};

}  // namespace ftprof::libmalloc
