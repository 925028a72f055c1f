// How completely the faults of an image are seen, over time. With every fault recorded, counts and
// kinds are exact; after a window of sampling, or a lost record, they are for the blocks born
// later.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyzer/image_tally.h"

namespace ftprof {

class Observation {
 public:
  explicit Observation(ImageTally& tally) : tally_(tally) {}

  void window(uint32_t stream, uint64_t timestamp, const trace::Window& window);
  void lost(uint64_t timestamp, uint64_t records);
  // The whole run is recorded fault by fault, as far as can be said by now.
  void expect_gaps() { gaps_ahead_ = true; }
  bool all_recorded() const { return tally_.perf && !tally_.sampled && !gaps_ahead_; }
  // Every fault since then was recorded.
  bool complete_since(uint64_t timestamp) const {
    return tally_.perf && partial_streams_ == 0 && last_gap_ns_ <= timestamp &&
           first_window_ns_ <= timestamp;
  }

 private:
  struct Stream {
    uint32_t period = 1;
  };
  ImageTally& tally_;
  std::vector<Stream> streams_;
  bool gaps_ahead_ = false;
  uint32_t partial_streams_ = 0;
  uint64_t last_gap_ns_ = 0;
  uint64_t first_window_ns_ = 0;  // recording began; 0: it was on from the start
};

}  // namespace ftprof
