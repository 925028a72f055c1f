// The tracked mappings, as ranges of addresses: munmap, mremap and MAP_FIXED may cut them anywhere.
//
// A sorted array under a short try-lock; mappings change by system calls, so an ordered structure
// with moves is quick enough. A lock that cannot be had within a bounded number of tries (a signal
// handler may have interrupted its holder) makes the operation fail: the caller then writes its
// event as if the range were tracked, and the reader, who has every event, cuts the blocks.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>

namespace ftprof {

struct TrackedRange {
  uintptr_t begin = 0, end = 0;
  uint32_t stack = 0;
  uint8_t flags = 0;
  float weight = 1;
};

// How a span of addresses meets the tracked ranges.
enum class Overlap : uint8_t { none, part, exact, unknown };

class RangeSet {
 public:
  using GetMemory = void* (*)(size_t bytes);
  constexpr explicit RangeSet(GetMemory get_memory) : get_memory_(get_memory) {}

  bool add(const TrackedRange& range);
  // What [begin, end) meets; `exact` is one whole tracked range and fills *whole.
  Overlap look(uintptr_t begin, uintptr_t end, TrackedRange* whole) const;
  // Removes [begin, end), splitting what reaches over its ends. The first `most` pieces removed go
  // to `cut`, for a call that fails; returns how many.
  size_t cut(uintptr_t begin, uintptr_t end, TrackedRange* cut, size_t most);
  // Copies up to `most` ranges from the `from`th on.
  size_t copy(size_t from, TrackedRange* to, size_t most) const;
  void break_lock() { locked_.store(false); }

 private:
  class Lock {
   public:
    explicit Lock(std::atomic<bool>* flag);
    ~Lock();
    bool held() const { return held_; }

   private:
    std::atomic<bool>* flag_;
    bool held_;
  };
  size_t first_after(uintptr_t address) const;  // the first range that ends after `address`
  bool insert(size_t at, const TrackedRange& range);
  void erase(size_t at, size_t count);
  bool grow();

  GetMemory get_memory_;
  mutable std::atomic<bool> locked_{false};
  TrackedRange* ranges_ = nullptr;
  size_t count_ = 0, capacity_ = 0;
};

}  // namespace ftprof
