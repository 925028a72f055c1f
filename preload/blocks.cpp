#include "preload/blocks.h"

#include <atomic>

#include "preload/tracked.h"

namespace ftprof {

constinit Filter g_filter;
constinit BlockTable g_blocks(own_memory);
constinit BlockTable g_pool_blocks(own_memory);
constinit RangeSet g_ranges(own_memory);

namespace {

struct Idle {
  std::atomic<uintptr_t> address;
  std::atomic<size_t> bytes;
};
constexpr size_t kIdle = 1024;
constinit Idle g_idle[kIdle]{};
constinit std::atomic<size_t> g_next_idle{0};

}  // namespace

void visit_live_blocks(VisitBlock visit, void* context) {
  g_blocks.visit([&](uintptr_t address, const TrackedBlock& block) {
    visit({address, block.bytes, block.stack, block.flags, false, block.weight}, context);
  });
  TrackedRange ranges[32];
  size_t from = 0;
  while (size_t count = g_ranges.copy(from, ranges, 32)) {
    for (size_t i = 0; i < count; ++i)
      visit({ranges[i].begin, ranges[i].end - ranges[i].begin, ranges[i].stack, ranges[i].flags,
             true, ranges[i].weight},
            context);
    from += count;
  }
}

void note_idle(uintptr_t address, size_t bytes) {
  Idle& idle = g_idle[g_next_idle.fetch_add(1, std::memory_order_relaxed) % kIdle];
  idle.address.store(0, std::memory_order_relaxed);
  idle.bytes.store(bytes, std::memory_order_relaxed);
  idle.address.store(address, std::memory_order_release);
}

size_t copy_idle_ranges(IdleRange* to, size_t most) {
  size_t newest = g_next_idle.load(std::memory_order_acquire), count = 0;
  for (size_t i = 1; i <= kIdle && count < most; ++i) {
    Idle& idle = g_idle[(newest - i) % kIdle];
    IdleRange range{idle.address.load(std::memory_order_acquire),
                    idle.bytes.load(std::memory_order_relaxed)};
    if (range.address != 0) to[count++] = range;
  }
  return count;
}

}  // namespace ftprof
