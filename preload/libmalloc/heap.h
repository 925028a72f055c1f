// One request, sent to whoever serves it: large.h what it wants or knows as its own, the next
// allocator the rest. The exported functions (entry.cpp, operators.cpp) are made of these.
//
// When the next allocator has no memory, the resting blocks are given back and it is asked again:
// under a limit on address space, what is kept here must not cost the program a request.
#pragma once

#include <errno.h>
#include <stddef.h>

#include "preload/libmalloc/large.h"
#include "preload/libmalloc/next.h"

#define FTPROF_EXPORT [[gnu::visibility("default")]]

namespace ftprof::libmalloc {

inline void* no_memory() {
  errno = ENOMEM;
  return nullptr;
}

template <auto Function, class... Arguments>
inline void* ask_next(Arguments... arguments) {
  void* p = call_next<Function>(arguments...);
  if (__builtin_expect(p != nullptr, 1)) return p;
  return large::relieve() ? call_next<Function>(arguments...) : nullptr;
}

inline void* get(size_t bytes) {
  if (large::wants(bytes)) return large::allocate(bytes, 1);
  return ask_next<&NextAllocator::malloc>(bytes);
}

// An alignment that is no power of two makes the request the next allocator's to answer.
inline bool wants_aligned(size_t alignment, size_t bytes) {
  return large::wants(bytes) && alignment && (alignment & (alignment - 1)) == 0;
}

inline void* get_aligned(size_t alignment, size_t bytes) {
  if (wants_aligned(alignment, bytes)) return large::allocate(bytes, alignment);
  return ask_next<&NextAllocator::memalign>(alignment, bytes);
}

inline void give_back(void* p) {
  if (!large::release(p)) call_next<&NextAllocator::free>(p);
}

}  // namespace ftprof::libmalloc
