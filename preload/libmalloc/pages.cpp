#include "preload/libmalloc/pages.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/mman.h>

namespace ftprof::libmalloc {

ErrnoKept::ErrnoKept() : saved_(errno) {}
ErrnoKept::~ErrnoKept() {
  errno = saved_;
}

namespace pages {
namespace {

constexpr int kProtection = PROT_READ | PROT_WRITE;
constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS;

Block map_anywhere(size_t bytes) {
  void* p = mmap(nullptr, bytes, kProtection, kFlags, -1, 0);
  return p == MAP_FAILED ? Block{} : Block{reinterpret_cast<uintptr_t>(p), bytes};
}

void cut(uintptr_t begin, uintptr_t end) {
  if (begin != end) unmap({begin, end - begin});
}

}  // namespace

size_t size() {
  static size_t cached = 0;  // every thread would store the same
  size_t bytes = __atomic_load_n(&cached, __ATOMIC_RELAXED);
  if (bytes) return bytes;
  bytes = getauxval(AT_PAGESZ);
  __atomic_store_n(&cached, bytes, __ATOMIC_RELAXED);
  return bytes;
}

size_t round_up(size_t bytes) {
  size_t mask = size() - 1;
  return bytes ? (bytes + mask) & ~mask : size();
}

Block map(size_t bytes, size_t alignment) {
  ErrnoKept keep;
  if (alignment <= size()) return map_anywhere(bytes);
  size_t slack = alignment - size();
  if (bytes > SIZE_MAX / 2 || slack > SIZE_MAX / 2) return {};
  Block whole = map_anywhere(bytes + slack);
  if (!whole.address) return {};
  uintptr_t begin = (whole.address + slack) & ~(alignment - 1);
  cut(whole.address, begin);
  cut(begin + bytes, whole.address + whole.bytes);
  return {begin, bytes};
}

void unmap(Block block) {
  ErrnoKept keep;
  void* p = reinterpret_cast<void*>(block.address);
  if (munmap(p, block.bytes)) madvise(p, block.bytes, MADV_DONTNEED);
}

Block resize(Block block, size_t bytes) {
  ErrnoKept keep;
  void* p = mremap(reinterpret_cast<void*>(block.address), block.bytes, bytes, MREMAP_MAYMOVE);
  return p == MAP_FAILED ? Block{} : Block{reinterpret_cast<uintptr_t>(p), bytes};
}

void mark_free(Block block) {
  ErrnoKept keep;
  madvise(reinterpret_cast<void*>(block.address), block.bytes, MADV_FREE);
}

}  // namespace pages
}  // namespace ftprof::libmalloc
