// The exported C functions, tiny and alike. exports.map lists the same names; a test compares the
// two.
//
// A malformed request (an alignment that is no power of two) is left to the next allocator, so that
// its contract stands.
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "preload/libmalloc/heap.h"
#include "preload/libmalloc/large.h"
#include "preload/libmalloc/next.h"
#include "preload/libmalloc/pages.h"

namespace ftprof::libmalloc {
namespace {

// The old block is given back only when the new one holds its bytes.
void* move(void* from, size_t from_bytes, size_t bytes) {
  void* to = get(bytes);
  if (!to) return nullptr;
  memcpy(to, from, from_bytes < bytes ? from_bytes : bytes);
  give_back(from);
  return to;
}

void* resize_ours(void* p, size_t usable, size_t bytes) {
  if (large::wants(bytes)) return large::resize(p, bytes);
  if (bytes) return move(p, usable, bytes);
  large::release(p);  // as glibc does
  return nullptr;
}

void* resize_next(void* p, size_t bytes) {
  if (large::wants(bytes)) return move(p, call_next<&NextAllocator::malloc_usable_size>(p), bytes);
  if (bytes == 0) return call_next<&NextAllocator::realloc>(p, bytes);  // null is no failure
  return ask_next<&NextAllocator::realloc>(p, bytes);
}

void* resize(void* p, size_t bytes) {
  if (!p) return get(bytes);
  size_t usable = large::usable_bytes(p);
  return usable ? resize_ours(p, usable, bytes) : resize_next(p, bytes);
}

// Early enough for every program: the library's own start, before main's other libraries. Settings
// are read from the environment that the loader hands over, as a program may define getenv().
[[gnu::constructor]] void start(int, char**, char** environment) {
  constexpr char kName[] = "FTPROF_LIBMALLOC=";
  const char* settings = nullptr;
  for (char** p = environment; p && *p && !getauxval(AT_SECURE); ++p) {
    if (strncmp(*p, kName, sizeof kName - 1) == 0) settings = *p + sizeof kName - 1;
  }
  resolve_next();
  large::configure(settings);
}

}  // namespace

extern "C" FTPROF_EXPORT void* malloc(size_t n) noexcept {
  return get(n);
}

extern "C" FTPROF_EXPORT void free(void* p) noexcept {
  give_back(p);
}
extern "C" FTPROF_EXPORT void cfree(void* p) noexcept {
  give_back(p);
}
extern "C" FTPROF_EXPORT void free_sized(void* p, size_t) noexcept {
  give_back(p);
}
extern "C" FTPROF_EXPORT void free_aligned_sized(void* p, size_t, size_t) noexcept {
  give_back(p);
}

extern "C" FTPROF_EXPORT void* calloc(size_t n, size_t each) noexcept {
  size_t bytes = 0;
  if (__builtin_mul_overflow(n, each, &bytes)) return no_memory();
  if (large::wants(bytes)) return large::allocate_zeroed(bytes);
  return ask_next<&NextAllocator::calloc>(n, each);
}

extern "C" FTPROF_EXPORT void* realloc(void* p, size_t n) noexcept {
  return resize(p, n);
}

extern "C" FTPROF_EXPORT void* reallocarray(void* p, size_t n, size_t each) noexcept {
  size_t bytes = 0;
  return __builtin_mul_overflow(n, each, &bytes) ? no_memory() : resize(p, bytes);
}

extern "C" FTPROF_EXPORT void* memalign(size_t alignment, size_t n) noexcept {
  return get_aligned(alignment, n);
}

extern "C" FTPROF_EXPORT void* aligned_alloc(size_t alignment, size_t n) noexcept {
  if (wants_aligned(alignment, n)) return large::allocate(n, alignment);
  return ask_next<&NextAllocator::aligned_alloc>(alignment, n);
}

// By contract this one leaves errno alone, and *out too when it fails.
extern "C" FTPROF_EXPORT int posix_memalign(void** out, size_t alignment, size_t n) noexcept {
  if (!wants_aligned(alignment, n) || alignment % sizeof(void*)) {
    int error = call_next<&NextAllocator::posix_memalign>(out, alignment, n);
    bool again = error == ENOMEM && large::relieve();
    return again ? call_next<&NextAllocator::posix_memalign>(out, alignment, n) : error;
  }
  ErrnoKept keep;
  void* p = large::allocate(n, alignment);
  if (!p) return ENOMEM;
  *out = p;
  return 0;
}

extern "C" FTPROF_EXPORT void* valloc(size_t n) noexcept {
  return get_aligned(pages::size(), n);
}

// Not passed on as it is: an allocator without it would let libc's answer, whose block it could not
// free.
extern "C" FTPROF_EXPORT void* pvalloc(size_t n) noexcept {
  return n > PTRDIFF_MAX ? no_memory() : get_aligned(pages::size(), pages::round_up(n));
}

extern "C" FTPROF_EXPORT size_t malloc_usable_size(void* p) noexcept {
  if (!p) return 0;
  size_t usable = large::usable_bytes(p);
  return usable ? usable : call_next<&NextAllocator::malloc_usable_size>(p);
}

extern "C" FTPROF_EXPORT int malloc_trim(size_t pad) noexcept {
  int given = large::relieve();
  return call_next<&NextAllocator::malloc_trim>(pad) | given;
}

}  // namespace ftprof::libmalloc
