// The mmap family. Calls that cannot matter jump to the next definition.
#include "preload/enter.h"
#include "preload/hooks.h"
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
