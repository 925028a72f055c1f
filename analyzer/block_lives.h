// The lives of the largest blocks, for SQL and CSV. A heap by size, so that the smallest makes
// room.
#pragma once

#include <cstdint>

#include "analyzer/image_tally.h"

namespace ftprof {

class BlockLives {
 public:
  explicit BlockLives(ImageTally& tally) : tally_(tally) {}

  bool wants(uint64_t bytes) const {
    return tally_.lives.size() < kMost || bytes > tally_.lives.front().bytes;
  }
  void add(LifeTally life);
  void leave_out() { ++tally_.lives_left_out; }

 private:
  static constexpr size_t kMost = 100'000;
  ImageTally& tally_;
};

}  // namespace ftprof
