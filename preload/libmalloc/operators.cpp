// The C++ operators. libstdc++'s would come to malloc by themselves; jemalloc, mimalloc and
// tcmalloc have their own, which would pass malloc by and then be given blocks that are not theirs.
//
// A request that cannot be met goes to the operator behind ours, whose business new handlers and
// bad_alloc are: nothing is thrown here, and nothing of libstdc++ is needed. The exception passes
// through these frames, which need no cleaning up.
#include <dlfcn.h>

#include <cstdlib>
#include <new>

#include "preload/libmalloc/heap.h"

namespace ftprof::libmalloc {
namespace {

// A C++ library that came by dlopen in a C program stands behind nobody: it is asked by name. With
// neither there is no way to throw, and the end is the one that an uncaught bad_alloc would have.
template <class Operator>
Operator* next_operator(const char* name) {
  if (void* found = dlsym(RTLD_NEXT, name)) return reinterpret_cast<Operator*>(found);
  void* library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
  void* found = library ? dlsym(library, name) : nullptr;
  if (!found) abort();
  return reinterpret_cast<Operator*>(found);
}

using New = void*(size_t);
using NewNothrow = void*(size_t, const std::nothrow_t&);
using NewAligned = void*(size_t, std::align_val_t);
using NewAlignedNothrow = void*(size_t, std::align_val_t, const std::nothrow_t&);

void* get_any(size_t n) {
  return get(n ? n : 1);
}

void* get_any(size_t n, std::align_val_t alignment) {
  return get_aligned(static_cast<size_t>(alignment), n ? n : 1);
}

}  // namespace
}  // namespace ftprof::libmalloc

using namespace ftprof::libmalloc;

FTPROF_EXPORT void* operator new(size_t n) {
  void* p = get_any(n);
  return p ? p : next_operator<New>("_Znwm")(n);
}
FTPROF_EXPORT void* operator new[](size_t n) {
  void* p = get_any(n);
  return p ? p : next_operator<New>("_Znam")(n);
}
FTPROF_EXPORT void* operator new(size_t n, const std::nothrow_t& tag) noexcept {
  void* p = get_any(n);
  return p ? p : next_operator<NewNothrow>("_ZnwmRKSt9nothrow_t")(n, tag);
}
FTPROF_EXPORT void* operator new[](size_t n, const std::nothrow_t& tag) noexcept {
  void* p = get_any(n);
  return p ? p : next_operator<NewNothrow>("_ZnamRKSt9nothrow_t")(n, tag);
}
FTPROF_EXPORT void* operator new(size_t n, std::align_val_t alignment) {
  void* p = get_any(n, alignment);
  return p ? p : next_operator<NewAligned>("_ZnwmSt11align_val_t")(n, alignment);
}
FTPROF_EXPORT void* operator new[](size_t n, std::align_val_t alignment) {
  void* p = get_any(n, alignment);
  return p ? p : next_operator<NewAligned>("_ZnamSt11align_val_t")(n, alignment);
}
FTPROF_EXPORT void* operator new(size_t n, std::align_val_t alignment,
                                 const std::nothrow_t& tag) noexcept {
  void* p = get_any(n, alignment);
  if (p) return p;
  return next_operator<NewAlignedNothrow>("_ZnwmSt11align_val_tRKSt9nothrow_t")(n, alignment, tag);
}
FTPROF_EXPORT void* operator new[](size_t n, std::align_val_t alignment,
                                   const std::nothrow_t& tag) noexcept {
  void* p = get_any(n, alignment);
  if (p) return p;
  return next_operator<NewAlignedNothrow>("_ZnamSt11align_val_tRKSt9nothrow_t")(n, alignment, tag);
}

// Sizes and alignments say nothing that the registry does not know.
#define FTPROF_DELETE(...)                                             \
  FTPROF_EXPORT void operator delete(void* p __VA_ARGS__) noexcept {   \
    give_back(p);                                                      \
  }                                                                    \
  FTPROF_EXPORT void operator delete[](void* p __VA_ARGS__) noexcept { \
    give_back(p);                                                      \
  }
FTPROF_DELETE()
FTPROF_DELETE(, size_t)
FTPROF_DELETE(, const std::nothrow_t&)
FTPROF_DELETE(, std::align_val_t)
FTPROF_DELETE(, size_t, std::align_val_t)
FTPROF_DELETE(, std::align_val_t, const std::nothrow_t&)
