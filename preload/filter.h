// Answers "can this pointer be a tracked block?" in a few instructions and one cache line.
//
// A counter per hashed page number, over the pages that hold a tracked block's first byte. Zero is
// a certain no: free() of it costs one load. Anything else goes to the block table. A counter that
// reached its end stays there: more lookups, never a wrong answer.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>

namespace ftprof {

inline constexpr size_t kFilterEntries = 1 << 18;  // 1 GiB of 4 KiB pages before two share one
inline constexpr unsigned kFilterShift = 12;

class Filter {
 public:
  bool may_hold(uintptr_t address) const {
    return counts_[index(address)].load(std::memory_order_relaxed) != 0;
  }
  void add(uintptr_t address) { change(address, +1); }
  void remove(uintptr_t address) { change(address, -1); }
  void* memory() { return counts_; }

 private:
  static constexpr uint8_t kStuck = 255;
  static size_t index(uintptr_t address) {
    return (address >> kFilterShift) & (kFilterEntries - 1);
  }
  void change(uintptr_t address, int by) {
    std::atomic<uint8_t>& count = counts_[index(address)];
    uint8_t old = count.load(std::memory_order_relaxed);
    while (old != kStuck &&
           !count.compare_exchange_weak(old, static_cast<uint8_t>(old + by),
                                        std::memory_order_release, std::memory_order_relaxed)) {
    }
  }

  std::atomic<uint8_t> counts_[kFilterEntries];
};

// Zero until the first tracked block is added.
extern Filter g_filter;

}  // namespace ftprof
