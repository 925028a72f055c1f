// What one thread remembers. Initial-exec TLS: no allocation at first use, gone only with the
// thread itself, so that hooks called from other thread-local destructors still find it.
// Zero-initialised, trivially destructible, small: it is carved from the stacks of small threads.
#pragma once

#include <stdint.h>

#include "preload/stack_walk.h"
#include "preload/trace_format.h"

namespace ftprof {

// In ThreadState.asked_as: the allocator's own operator new is running, and its block is recorded (or
// passed by) there; a public function that it calls must not do so again. A mark and not Inside,
// because operator new may throw past its hook, and a mark that stays costs one block at most.
inline constexpr trace::Api kWithinOperator = trace::Api::inherited;

struct ThreadState {
  int64_t countdown;        // bytes until the next sampled block (sampling.h)
  uint32_t sampling_epoch;  // the epoch in which the countdown was drawn
  uint32_t tid;             // 0: not asked yet, or the thread is new in a fork's child
  uint64_t random;
  StackBounds stack_bounds;
  uint32_t image;       // whose trace knows this thread
  bool inside;          // the library's own code is running: hooks pass straight through
  trace::Api asked_as;  // operator new or delete that is about to call malloc or free
};

extern constinit thread_local ThreadState t_thread __attribute__((tls_model("initial-exec")));

// Marks the thread as inside the library; what was before comes back.
class Inside {
 public:
  Inside() : before_(t_thread.inside) { t_thread.inside = true; }
  ~Inside() { t_thread.inside = before_; }
  Inside(const Inside&) = delete;

 private:
  bool before_;
};

}  // namespace ftprof
