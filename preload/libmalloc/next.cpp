#include "preload/libmalloc/next.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include <atomic>

#include "preload/libmalloc/large.h"
#include "preload/libmalloc/pages.h"

namespace ftprof::libmalloc {
namespace {

// What each pointer is before the lookup. Pointers that arrive while it runs are the lookup's own
// or another thread's, and were handed out as mapped blocks: only those that entry.cpp did not
// recognise get here, and the next allocator cannot have made them yet.
namespace boot {

void* map(size_t bytes, size_t alignment) {
  return large::allocate(bytes, alignment);
}

void* fail() {
  errno = ENOMEM;
  return nullptr;
}

void* malloc(size_t n) {
  return resolve_next() ? call_next<&NextAllocator::malloc>(n) : map(n, 1);
}

void* calloc(size_t n, size_t each) {
  if (resolve_next()) return call_next<&NextAllocator::calloc>(n, each);
  size_t bytes = 0;
  return __builtin_mul_overflow(n, each, &bytes) ? fail() : large::allocate_zeroed(bytes);
}

void* realloc(void* p, size_t n) {
  return resolve_next() ? call_next<&NextAllocator::realloc>(p, n) : fail();
}

void free(void* p) {
  if (resolve_next()) call_next<&NextAllocator::free>(p);
}

int posix_memalign(void** out, size_t alignment, size_t n) {
  if (resolve_next()) return call_next<&NextAllocator::posix_memalign>(out, alignment, n);
  void* p = map(n, alignment);
  if (!p) return ENOMEM;
  *out = p;
  return 0;
}

void* aligned_alloc(size_t alignment, size_t n) {
  return resolve_next() ? call_next<&NextAllocator::aligned_alloc>(alignment, n)
                        : map(n, alignment);
}

void* memalign(size_t alignment, size_t n) {
  return resolve_next() ? call_next<&NextAllocator::memalign>(alignment, n) : map(n, alignment);
}

size_t malloc_usable_size(void* p) {
  return resolve_next() ? call_next<&NextAllocator::malloc_usable_size>(p) : 0;
}

int malloc_trim(size_t pad) {
  return resolve_next() ? call_next<&NextAllocator::malloc_trim>(pad) : 0;
}

}  // namespace boot

enum State : int { kUnresolved, kResolving, kResolved };
std::atomic<int> state{kUnresolved};

template <class Function>
void look_up(Function& function, const char* name) {
  if (void* found = dlsym(RTLD_NEXT, name)) {
    __atomic_store_n(&function, reinterpret_cast<Function>(found), __ATOMIC_RELAXED);
  }
}

void look_all_up() {
  NextAllocator found = next_allocator;
#define FTPROF_NEXT_LOOK_UP(name, result, parameters) look_up(found.name, #name);
  FTPROF_NEXT_FUNCTIONS(FTPROF_NEXT_LOOK_UP)
#undef FTPROF_NEXT_LOOK_UP
#define FTPROF_NEXT_PUBLISH(name, result, parameters) \
  __atomic_store_n(&next_allocator.name, found.name, __ATOMIC_RELAXED);
  FTPROF_NEXT_FUNCTIONS(FTPROF_NEXT_PUBLISH)
#undef FTPROF_NEXT_PUBLISH
}

}  // namespace

#define FTPROF_NEXT_BOOT(name, result, parameters) boot::name,
NextAllocator next_allocator = {FTPROF_NEXT_FUNCTIONS(FTPROF_NEXT_BOOT)};
#undef FTPROF_NEXT_BOOT

// The fork handlers are registered here, with the process's first request: handlers that come later
// run before ours when a fork begins, so they may still wait for other threads that allocate.
bool resolve_next() {
  int expected = kUnresolved;
  if (!state.compare_exchange_strong(expected, kResolving)) return expected == kResolved;
  ErrnoKept keep;
  look_all_up();
  pthread_atfork(large::prepare_fork, large::parent_after_fork, large::child_after_fork);
  state.store(kResolved);
  return true;
}

}  // namespace ftprof::libmalloc
