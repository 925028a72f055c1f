// The careful path of the allocation entries, behind the look that sends small requests and
// unknown pointers straight on.
#pragma once

#include "preload/enter.h"
#include "preload/filter.h"
#include "preload/wrap.h"

#define LIKELY(condition) __builtin_expect(!!(condition), 1)

namespace ftprof {

inline bool may_be_tracked(const void* pointer) {
  return g_filter.may_hold(reinterpret_cast<uintptr_t>(pointer));
}

template <class Real>
void* reallocate(trace::Api api, void* old, size_t bytes, Real real) {
  count(api);
  if (t_thread.inside) return real();
  return wrap_reallocation(api, old, bytes, g_state.settings.blocks_min_size, real);
}

template <class Real>
void release(trace::Api api, void* pointer, Real real) {
  api = asked_as(api);
  count(api);
  if (t_thread.inside || pointer == nullptr) return real();
  wrap_release(api, pointer, real);
}

// posix_memalign and its like.
template <class Real>
int allocate_to(trace::Api api, void** to, size_t bytes, Real real) {
  count(api);
  if (t_thread.inside || too_small(bytes)) return real();
  return wrap_posix_memalign(api, to, bytes, real);
}

// For entries that may throw: passes by, or wraps.
template <class Real>
void* allocate_throwing(trace::Api api, size_t bytes, Real real) {
  if (pass_by(&t_thread, bytes)) return call_operator(real);
  count(api);
  if (t_thread.inside || too_small(bytes)) return real();
  return wrap_throwing_allocation(api, bytes, real);
}

}  // namespace ftprof
