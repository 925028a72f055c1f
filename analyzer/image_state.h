// Everything that is known of one process image at one moment of the pass over its trace. The parts
// of the pass (faults, lifetimes, settling) work on it; each part of the state has a header of its
// own that says what it is.
#pragma once

#include "analyzer/address_history.h"
#include "analyzer/block_lives.h"
#include "analyzer/block_map.h"
#include "analyzer/code_table.h"
#include "analyzer/image_tally.h"
#include "analyzer/live_blocks.h"
#include "analyzer/mapping_table.h"
#include "analyzer/observation.h"
#include "analyzer/page_sets.h"
#include "analyzer/slice_tally.h"
#include "analyzer/thread_table.h"
#include "analyzer/timeline_tally.h"
#include "analyzer/usual_cost.h"

namespace ftprof {

struct ImageState {
  explicit ImageState(const trace::Process& process) {
    tally.process = process;
    tally.phases.push_back({"start", process.start_monotonic_ns, process.start_monotonic_ns});
  }
  ImageState(const ImageState&) = delete;

  uint64_t page_bytes() const { return tally.process.page_bytes; }
  uint64_t page_of(uint64_t addr) const { return addr / page_bytes(); }
  uint32_t phase() const { return static_cast<uint32_t>(tally.phases.size() - 1); }

  ImageTally tally;
  CodeTable code{tally};
  ThreadTable threads{tally};
  TimelineTally timeline{tally};
  Observation observation{tally};
  SliceTally slices{tally};
  BlockLives lives{tally};
  LiveBlocks blocks;
  PageSets pages;
  AddressHistory history;
  MappingTable mappings;
  BlockMap map;
  UsualCost usual_cost;
  uint64_t now = 0;  // of the event at hand
};

// The whole pages of a block: those that lie in it entirely.
struct PageRange {
  uint64_t first = 0, count = 0;
};
inline PageRange whole_pages(uint64_t page_bytes, uint64_t begin, uint64_t end) {
  uint64_t first = begin / page_bytes + (begin % page_bytes != 0), behind = end / page_bytes;
  return {first, behind > first ? behind - first : 0};
}
// Those that hold any byte of it.
inline PageRange all_pages(uint64_t page_bytes, uint64_t begin, uint64_t end) {
  uint64_t first = begin / page_bytes, behind = end / page_bytes + (end % page_bytes != 0);
  return {first, behind > first ? behind - first : 0};
}

}  // namespace ftprof
