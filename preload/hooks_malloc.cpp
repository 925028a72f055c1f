// malloc and its family. Each exported function is alike: a small request (or a pointer that the
// filter does not know) jumps to the next allocator; the rest takes the careful path.
#include "preload/careful.h"
#include "preload/hooks.h"

namespace ftprof {

using trace::Api;

namespace {

// Passes by, or wraps. `real` is what the program would have called.
template <class Real>
void* allocate(Api api, size_t bytes, Real real) {
  if (t_thread.asked_as == kWithinOperator) return real();
  api = asked_as(api);
  if (pass_by(&t_thread, bytes)) return real();
  count(api);
  if (t_thread.inside || too_small(bytes)) return real();
  return wrap_allocation(api, bytes, real);
}

[[gnu::noinline]] void* careful_malloc(size_t bytes) {
  enter();
  return allocate(Api::malloc, bytes, [=] { return g_next.malloc(bytes); });
}

[[gnu::noinline]] void* careful_calloc(size_t count, size_t size) {
  size_t bytes = 0;
  bool overflow = __builtin_mul_overflow(count, size, &bytes);
  enter();
  if (overflow) return g_next.calloc(count, size);
  return allocate(Api::calloc, bytes, [=] { return g_next.calloc(count, size); });
}

[[gnu::noinline]] void* careful_realloc(void* old, size_t bytes) {
  enter();
  return reallocate(Api::realloc, old, bytes, [=] { return g_next.realloc(old, bytes); });
}

[[gnu::noinline]] void* careful_reallocarray(void* old, size_t count, size_t size) {
  size_t bytes = 0;
  enter();
  if (__builtin_mul_overflow(count, size, &bytes)) return g_next.reallocarray(old, count, size);
  return reallocate(Api::reallocarray, old, bytes,
                    [=] { return g_next.reallocarray(old, count, size); });
}

[[gnu::noinline]] void careful_free(void* pointer) {
  enter();
  release(Api::free, pointer, [=] { g_next.free(pointer); });
}

[[gnu::noinline]] int careful_posix_memalign(void** to, size_t alignment, size_t bytes) {
  enter();
  return allocate_to(Api::posix_memalign, to, bytes,
                     [=] { return g_next.posix_memalign(to, alignment, bytes); });
}

// aligned_alloc, memalign, valloc and pvalloc.
template <class Real>
void* allocate_aligned(Api api, size_t bytes, Real real) {
  enter();
  return allocate(api, bytes, real);
}

[[gnu::noinline]] void* careful_aligned_alloc(size_t alignment, size_t bytes) {
  return allocate_aligned(Api::aligned_alloc, bytes,
                          [=] { return g_next.aligned_alloc(alignment, bytes); });
}
[[gnu::noinline]] void* careful_memalign(size_t alignment, size_t bytes) {
  return allocate_aligned(Api::memalign, bytes, [=] { return g_next.memalign(alignment, bytes); });
}
[[gnu::noinline]] void* careful_valloc(size_t bytes) {
  return allocate_aligned(Api::valloc, bytes, [=] { return g_next.valloc(bytes); });
}
[[gnu::noinline]] void* careful_pvalloc(size_t bytes) {
  return allocate_aligned(Api::pvalloc, bytes, [=] { return g_next.pvalloc(bytes); });
}

}  // namespace

namespace hook {

void* malloc(size_t bytes) {
  if (LIKELY(bytes < g_next.wrap_from)) return g_next.malloc(bytes);
  return careful_malloc(bytes);
}

void* calloc(size_t count, size_t size) {
  size_t bytes = 0;
  if (LIKELY(!__builtin_mul_overflow(count, size, &bytes) && bytes < g_next.wrap_from))
    return g_next.calloc(count, size);
  return careful_calloc(count, size);
}

void* realloc(void* old, size_t bytes) {
  if (LIKELY(bytes < g_next.wrap_from && !may_be_tracked(old))) return g_next.realloc(old, bytes);
  return careful_realloc(old, bytes);
}

void* reallocarray(void* old, size_t count, size_t size) {
  size_t bytes = 0;
  if (LIKELY(!__builtin_mul_overflow(count, size, &bytes) && bytes < g_next.wrap_from &&
             !may_be_tracked(old)))
    return g_next.reallocarray(old, count, size);
  return careful_reallocarray(old, count, size);
}

void free(void* pointer) {
  if (LIKELY(!may_be_tracked(pointer))) return g_next.free(pointer);
  careful_free(pointer);
}

int posix_memalign(void** to, size_t alignment, size_t bytes) {
  if (LIKELY(bytes < g_next.wrap_from)) return g_next.posix_memalign(to, alignment, bytes);
  return careful_posix_memalign(to, alignment, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes) {
  if (LIKELY(bytes < g_next.wrap_from)) return g_next.aligned_alloc(alignment, bytes);
  return careful_aligned_alloc(alignment, bytes);
}

void* memalign(size_t alignment, size_t bytes) {
  if (LIKELY(bytes < g_next.wrap_from)) return g_next.memalign(alignment, bytes);
  return careful_memalign(alignment, bytes);
}

void* valloc(size_t bytes) {
  if (LIKELY(bytes < g_next.wrap_from)) return g_next.valloc(bytes);
  return careful_valloc(bytes);
}

void* pvalloc(size_t bytes) {
  if (LIKELY(bytes < g_next.wrap_from)) return g_next.pvalloc(bytes);
  return careful_pvalloc(bytes);
}

// The following are free() by other names. An allocator that has no such function of its own gets
// plain free(), which each of them may be served by.
void cfree(void* pointer) {
  if (LIKELY(!may_be_tracked(pointer))) return g_next.free(pointer);
  enter();
  release(Api::cfree, pointer, [=] { g_next.free(pointer); });
}

void free_sized(void* pointer, size_t bytes) {
  enter();
  auto real = [=] {
    g_next.free_sized == nullptr ? g_next.free(pointer) : g_next.free_sized(pointer, bytes);
  };
  if (!may_be_tracked(pointer)) return real();
  release(Api::free, pointer, real);
}

void free_aligned_sized(void* pointer, size_t alignment, size_t bytes) {
  enter();
  auto real = [=] {
    if (g_next.free_aligned_sized == nullptr) return g_next.free(pointer);
    g_next.free_aligned_sized(pointer, alignment, bytes);
  };
  if (!may_be_tracked(pointer)) return real();
  release(Api::free, pointer, real);
}

size_t malloc_usable_size(void* pointer) {
  enter();
  return g_next.malloc_usable_size == nullptr ? 0 : g_next.malloc_usable_size(pointer);
}

}  // namespace hook

// What g_next.free is before the lookup: free() has no size that would send it the careful way.
void early_free(void* pointer) {
  enter();
  hook::free(pointer);
}

}  // namespace ftprof
