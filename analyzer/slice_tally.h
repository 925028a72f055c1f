// Faults over time, by payer, code, thread and phase: runs that lie close together are one slice.
// Bounded: when there are too many, the gap that is bridged doubles. Sums stay exact.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/fault_sum.h"
#include "analyzer/flat_map.h"
#include "analyzer/image_tally.h"

namespace ftprof {

class SliceTally {
 public:
  explicit SliceTally(ImageTally& tally) : tally_(tally) {}

  void add(const CellKey& cell, uint64_t begin_ns, uint64_t end_ns, const FaultSum& sum);

 private:
  static constexpr size_t kMost = 200'000;
  void coarsen();

  ImageTally& tally_;
  FlatMap<CellKey, uint32_t> latest_;  // index + 1
  uint64_t gap_ns_ = 50'000;
  size_t limit_ = kMost;  // more only where there are more cells than that
};

}  // namespace ftprof
