// The next allocator: whoever stands behind this library in the order of symbol lookup.
//
// Each pointer starts at a function that looks all of them up first, so a call costs one load and
// one jump, with no test for readiness. The lookup itself may allocate (dlsym's error text). Such a
// request, and another thread's meanwhile, gets mapped pages, which need no other allocator: no
// boot heap has to exist, and free() knows those blocks like any other of ours.
#pragma once

#include <cstddef>

namespace ftprof::libmalloc {

// Every function that is passed on: name, result, parameters.
#define FTPROF_NEXT_FUNCTIONS(FUNCTION)                   \
  FUNCTION(malloc, void*, (size_t))                       \
  FUNCTION(calloc, void*, (size_t, size_t))               \
  FUNCTION(realloc, void*, (void*, size_t))               \
  FUNCTION(free, void, (void*))                           \
  FUNCTION(posix_memalign, int, (void**, size_t, size_t)) \
  FUNCTION(aligned_alloc, void*, (size_t, size_t))        \
  FUNCTION(memalign, void*, (size_t, size_t))             \
  FUNCTION(malloc_usable_size, size_t, (void*))           \
  FUNCTION(malloc_trim, int, (size_t))

struct NextAllocator {
#define FTPROF_NEXT_MEMBER(name, result, parameters) result(*name) parameters;
  FTPROF_NEXT_FUNCTIONS(FTPROF_NEXT_MEMBER)
#undef FTPROF_NEXT_MEMBER
};

extern NextAllocator next_allocator;

// call_next<&NextAllocator::malloc>(64). The loads are atomic, as another thread may be resolving.
template <auto Function, class... Arguments>
inline auto call_next(Arguments... arguments) {
  return __atomic_load_n(&(next_allocator.*Function), __ATOMIC_RELAXED)(arguments...);
}

// Looks the next allocator up, if nobody did yet. False: somebody is just doing it.
bool resolve_next();

}  // namespace ftprof::libmalloc
