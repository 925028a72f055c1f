// The threads of one image: names, and what is still open for each of them: faults that no block
// owned yet, and the block that it is giving back.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/fault_feed.h"
#include "analyzer/flat_map.h"
#include "analyzer/image_tally.h"
#include "analyzer/live_blocks.h"

namespace ftprof {

// Faults that no live block owned when they happened: in the call that is about to hand out their
// block, or not a block's at all.
struct HeldFaults {
  uint32_t ip = 0, phase = 0;
  uint64_t addr = 0;
  uint32_t faults = 0;  // recorded
  uint32_t period = 1;
  GapShare gap;
  bool read = false;
  uint64_t begin_ns = 0, end_ns = 0;
  double stand_in_most_ns = 0;
  size_t costs = 0;  // index of the first one's cost in OpenThread::costs
};

// A give-back under way, and what it found.
struct Ending {
  uint32_t block = kNoBlock;
  uint64_t timestamp = 0;
  Probe probe;
  trace::Api api = trace::Api::unknown;
};

struct OpenThread {
  bool profiler = false;
  std::vector<HeldFaults> held;
  std::vector<uint32_t> costs;  // corrected; kNotTimed32 where not timed
  Ending ending;
};

class ThreadTable {
 public:
  explicit ThreadTable(ImageTally& tally) : tally_(tally) {}

  uint32_t of(uint32_t tid);  // index into ImageTally::threads
  void name(uint32_t tid, bool fresh, std::string_view name);
  OpenThread& open(uint32_t thread) { return open_[thread]; }
  size_t size() const { return open_.size(); }

 private:
  uint32_t add(uint32_t tid);

  ImageTally& tally_;
  std::vector<OpenThread> open_;
  FlatMap<uint64_t, uint32_t> by_tid_;  // index + 1
  uint32_t last_tid_ = 0, last_ = 0xFFFFFFFF;
};

}  // namespace ftprof
