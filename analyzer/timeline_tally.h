// A timeline of bounded length over a time whose end is not known yet: when it is full, neighbours
// are merged and the interval doubles.
#pragma once

#include <cstdint>

#include "analyzer/image_tally.h"

namespace ftprof {

class TimelineTally {
 public:
  explicit TimelineTally(ImageTally& tally) : tally_(tally) {}

  TimeBucket& at(uint64_t timestamp);
  // Faults that happened between two times, evenly.
  void add_faults(uint64_t begin, uint64_t end, const FaultSum& sum);

 private:
  static constexpr size_t kMost = 2000;
  void coarsen();

  ImageTally& tally_;
};

}  // namespace ftprof
