// The mmap family. Calls that cannot matter jump to the next definition.
#include "preload/enter.h"
#include "preload/hooks.h"
#include "preload/sys.h"
#include "preload/wrap_map.h"

namespace ftprof {

using trace::Caller;
using trace::RangeKind;

namespace {

// An allocator maps memory from its own code; everything else is the program.
Caller caller_at(const void* return_address) {
  CodeRange code = allocator_code();
  auto at = reinterpret_cast<uintptr_t>(return_address);
  return at >= code.begin && at < code.end ? Caller::allocator : Caller::program;
}

// What the kernel will refuse is none of our business.
bool malformed(uintptr_t address, size_t bytes) {
  return bytes == 0 || address % g_state.page_bytes != 0 || address + bytes < address;
}

bool changes_pages(int advice) {
  switch (advice) {
    case MADV_WILLNEED:
    case MADV_DONTNEED:
    case MADV_FREE:
    case MADV_REMOVE:
    case MADV_HUGEPAGE:
    case MADV_NOHUGEPAGE:
    case MADV_COLD:
    case MADV_PAGEOUT:
    case MADV_POPULATE_READ:
    case MADV_POPULATE_WRITE:
    case 24 /* MADV_DONTNEED_LOCKED */:
    case 25 /* MADV_COLLAPSE */:
      return true;
    default:
      return false;
  }
}

[[gnu::always_inline]] inline void* map(const void* caller, void* at, size_t bytes, int protection,
                                        int flags, int file, long offset) {
  enter();
  count(trace::Api::mmap);
  MapCall call{reinterpret_cast<uintptr_t>(at), bytes, flags, file, caller_at(caller)};
  bool matters =
      running_here() || call.by == Caller::allocator || !too_small(bytes) || (flags & MAP_FIXED);
  if (!matters || bytes == 0 || !initialised())
    return g_next.mmap(at, bytes, protection, flags, file, offset);
  return wrap_map(call, [=] { return g_next.mmap(at, bytes, protection, flags, file, offset); });
}

uintptr_t page_up(uintptr_t address) {
  return (address + g_state.page_bytes - 1) & ~(g_state.page_bytes - 1);
}

// The program break, for those who call it themselves: libc's malloc does not pass here. Raised by
// much, it is a block of the whole new pages; lowered, the pages are gone. `real` says whether the
// break was moved.
template <class Real>
void move_break(Caller by, uintptr_t from, uintptr_t to, Real real) {
  uintptr_t begin = page_up(from), end = page_up(to);
  if (to < from) {
    wrap_unmap(by, end, begin - end, [&] { return real() ? 0 : -1; });
    return;
  }
  MapCall call{begin, end - begin, MAP_PRIVATE | MAP_ANONYMOUS, -1, by, trace::Api::brk};
  if (by == Caller::program && too_small(call.bytes)) {
    real();
    return;
  }
  wrap_map(call, [&] { return real() ? reinterpret_cast<void*>(begin) : MAP_FAILED; });
}

bool watches_break() {
  return initialised() && !t_thread.inside && !g_state.sealed.load(std::memory_order_relaxed);
}

uintptr_t current_break() {
  return static_cast<uintptr_t>(sys::call(SYS_brk, 0));
}

}  // namespace

namespace hook {

void* mmap(void* at, size_t bytes, int protection, int flags, int file, long offset) {
  return map(__builtin_return_address(0), at, bytes, protection, flags, file, offset);
}

void* mmap64(void* at, size_t bytes, int protection, int flags, int file, long offset) {
  return map(__builtin_return_address(0), at, bytes, protection, flags, file, offset);
}

int munmap(void* at, size_t bytes) {
  auto address = reinterpret_cast<uintptr_t>(at);
  enter();
  count(trace::Api::munmap);
  if (!initialised() || malformed(address, bytes)) return g_next.munmap(at, bytes);
  return wrap_unmap(caller_at(__builtin_return_address(0)), address, bytes,
                    [=] { return g_next.munmap(at, bytes); });
}

void* mremap(void* old, size_t old_bytes, size_t new_bytes, int flags, void* to) {
  enter();
  count(trace::Api::mremap);
  auto real = [=] { return g_next.mremap(old, old_bytes, new_bytes, flags, to); };
  auto address = reinterpret_cast<uintptr_t>(old);
  if (!initialised() || new_bytes == 0 || address % g_state.page_bytes != 0) return real();
  return wrap_remap({address, old_bytes, new_bytes, flags, reinterpret_cast<uintptr_t>(to),
                     caller_at(__builtin_return_address(0))},
                    real);
}

int madvise(void* at, size_t bytes, int advice) {
  enter();
  count(trace::Api::madvise);
  auto address = reinterpret_cast<uintptr_t>(at);
  if (!initialised() || malformed(address, bytes) || !changes_pages(advice))
    return g_next.madvise(at, bytes, advice);
  RangeChange change{RangeKind::advise, caller_at(__builtin_return_address(0)),
                     static_cast<uint32_t>(advice), address, bytes};
  return wrap_change(change, [=] { return g_next.madvise(at, bytes, advice); });
}

int mprotect(void* at, size_t bytes, int protection) {
  enter();
  auto address = reinterpret_cast<uintptr_t>(at);
  if (!initialised() || !running_here() || malformed(address, bytes))
    return g_next.mprotect(at, bytes, protection);
  RangeChange change{RangeKind::protect, Caller::program, static_cast<uint32_t>(protection),
                     address, bytes};
  return wrap_change(change, [=] { return g_next.mprotect(at, bytes, protection); });
}

int brk(void* to) {
  enter();
  count(trace::Api::brk);
  if (!watches_break()) return g_next.brk(to);
  int status = -1;
  move_break(caller_at(__builtin_return_address(0)), current_break(),
             reinterpret_cast<uintptr_t>(to), [&] { return (status = g_next.brk(to)) == 0; });
  return status;
}

void* sbrk(long increment) {
  enter();
  count(trace::Api::brk);
  if (!watches_break() || increment == 0) return g_next.sbrk(increment);
  uintptr_t from = current_break();
  void* before = MAP_FAILED;  // which is what sbrk fails with, too
  move_break(caller_at(__builtin_return_address(0)), from, from + static_cast<uintptr_t>(increment),
             [&] { return (before = g_next.sbrk(increment)) != MAP_FAILED; });
  return before;
}

int dlclose(void* handle) {
  enter();
  int status = g_next.dlclose(handle);
  if (running_here() && !t_thread.inside) {
    Inside inside;
    forget_unloaded_code();
  }
  return status;
}

}  // namespace hook
}  // namespace ftprof
