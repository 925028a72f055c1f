#include "tests/workload/clock.h"

#include <algorithm>
#include <limits>

namespace ftprof::workload {

double clock_resolution_ns() {
  uint64_t smallest = std::numeric_limits<uint64_t>::max();
  for (int i = 0; i < 1000; ++i) {
    uint64_t first = now_ns(), next = now_ns();
    if (next != first) smallest = std::min(smallest, next - first);
  }
  return static_cast<double>(smallest);
}

double timestamp_ns() {
  constexpr int kReadings = 1000;
  uint64_t best = std::numeric_limits<uint64_t>::max();
  for (int i = 0; i < 20; ++i) {
    uint64_t begin = now_ns();
    for (int j = 1; j < kReadings; ++j) now_ns();
    best = std::min(best, now_ns() - begin);
  }
  return static_cast<double>(best) / kReadings;
}

double estimated_ghz() {
  constexpr uint64_t kRounds = 100000, kAddsPerRound = 8;
  uint64_t best = std::numeric_limits<uint64_t>::max(), chain = 0;
  for (int i = 0; i < 20; ++i) {
    uint64_t begin = now_ns();
    for (uint64_t j = 0; j < kRounds; ++j) {
      // The empty statement hides the value, so that the additions cannot be folded into one.
      for (uint64_t k = 0; k < kAddsPerRound; ++k) {
        chain += j | 1;
        asm volatile("" : "+r"(chain));
      }
    }
    best = std::min(best, now_ns() - begin);
  }
  return static_cast<double>(kRounds * kAddsPerRound) / static_cast<double>(best);
}

}  // namespace ftprof::workload
