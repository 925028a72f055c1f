#include "preload/boot_memory.h"

#include <stdint.h>

#include <atomic>

#include "preload/filter.h"

namespace ftprof {
namespace {

constexpr size_t kArenaBytes = 64 * 1024;
alignas(4096) constinit char g_arena[kArenaBytes]{};
constinit std::atomic<size_t> g_used{0};

struct Header {
  size_t bytes;
};

}  // namespace

void* boot_allocate(size_t bytes, size_t alignment) {
  if (alignment < 16) alignment = 16;
  size_t used = g_used.load(), begin = 0;
  do {
    begin = (used + sizeof(Header) + alignment - 1) & ~(alignment - 1);
    if (begin > kArenaBytes || bytes > kArenaBytes - begin) return nullptr;
  } while (!g_used.compare_exchange_weak(used, begin + bytes));
  reinterpret_cast<Header*>(g_arena + begin)[-1].bytes = bytes;
  g_filter.add(reinterpret_cast<uintptr_t>(g_arena + begin));
  return g_arena + begin;
}

bool is_boot_memory(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) - reinterpret_cast<uintptr_t>(g_arena) < kArenaBytes;
}

size_t boot_size(const void* pointer) {
  return static_cast<const Header*>(pointer)[-1].bytes;
}

}  // namespace ftprof
