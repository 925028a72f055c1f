// A thread that libc does not know: pthread_exit in main, setuid and the count of threads go on as
// if it were not there. It has no name until it takes one, all signals blocked, its own stack, and
// must use sys.h only: no TLS, no errno, nothing that takes a lock of libc's.
//
// Its thread pointer leads to a page of zeros with nothing behind it, so that a stray access to
// thread-local storage (a stack protector's canary, an errno) harms no thread of the program.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>

namespace ftprof {

class RawThread {
 public:
  // Runs `run(argument)` in a new thread; false when there is no memory or no thread to be had.
  bool start(void (*run)(void*), void* argument);
  // Whether the thread still runs. After its end its memory may be given back.
  bool alive() const { return tid_.load(std::memory_order_acquire) != 0; }
  int tid() const { return tid_.load(std::memory_order_relaxed); }
  // Waits for its end, at most ns; true when it is gone (and its memory given back).
  bool join(uint64_t ns);
  // In a fork's child: the thread is the parent's; its memory is given back.
  void forget();

 private:
  static constexpr size_t kStackBytes = 128 * 1024;
  static constexpr size_t kTlsBytes = 16 * 1024;  // below the thread pointer, where TLS lies

  void release();

  // The kernel clears it and wakes waiters when the thread is gone (CLONE_CHILD_CLEARTID).
  std::atomic<int> tid_{0};
  void* memory_ = nullptr;
};

}  // namespace ftprof
