// What every hook's careful path begins with.
#pragma once

#include "preload/calls.h"
#include "preload/life.h"
#include "preload/modules.h"
#include "preload/next.h"
#include "preload/state.h"
#include "preload/thread_state.h"

namespace ftprof {

inline void enter() {
  if (initialised()) return;
  resolve_next();
  initialise();
}

inline void count(trace::Api api) {
  if (g_state.settings.calls_count || !initialised()) count_call(api);
}

// Which function the program called, when this one was reached through libstdc++'s operator.
inline trace::Api asked_as(trace::Api own) {
  trace::Api asked = t_thread.asked_as;
  if (asked == trace::Api::unknown) return own;
  t_thread.asked_as = trace::Api::unknown;
  return asked == kWithinOperator ? own : asked;
}

template <class Function>
bool in_allocator(Function* function) {
  CodeRange code = allocator_code();
  auto at = reinterpret_cast<uintptr_t>(function);
  return at >= code.begin && at < code.end;
}

inline bool too_small(size_t bytes) {
  return bytes < g_state.settings.blocks_min_size;
}

}  // namespace ftprof
