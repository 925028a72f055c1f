#include "preload/own_ranges.h"

#include <atomic>

#include "preload/residency.h"

// The linker's names for this object's zeroed data.
extern "C" __attribute__((visibility("hidden"))) char __bss_start[];
extern "C" __attribute__((visibility("hidden"))) char _end[];

namespace ftprof {
namespace {

struct Range {
  std::atomic<const void*> begin;
  std::atomic<size_t> bytes;
};
constexpr size_t kMost = 64;
constinit Range g_ranges[kMost]{};
constinit std::atomic<size_t> g_count{0};

uint64_t resident(const void* begin, size_t bytes) {
  PageCounts counts = count_pages(reinterpret_cast<uintptr_t>(begin), bytes, Effort::presence);
  return counts.resident != trace::kUnknownPages ? counts.resident : 0;
}

}  // namespace

void note_own_range(const void* begin, size_t bytes) {
  size_t at = g_count.fetch_add(1, std::memory_order_relaxed);
  if (at >= kMost) return;
  g_ranges[at].bytes.store(bytes, std::memory_order_relaxed);
  g_ranges[at].begin.store(begin, std::memory_order_release);
}

uint64_t own_resident_pages() {
  uint64_t pages = resident(__bss_start, static_cast<size_t>(_end - __bss_start));
  for (Range& range : g_ranges)
    if (const void* begin = range.begin.load(std::memory_order_acquire))
      pages += resident(begin, range.bytes.load(std::memory_order_relaxed));
  return pages;
}

}  // namespace ftprof
