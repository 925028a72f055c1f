// The largest blocks, with when and by whom their pages were first touched: the block map of the
// HTML report. Bounded: at most kRows blocks of at most kTouches runs each.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/image_tally.h"
#include "analyzer/live_blocks.h"

namespace ftprof {

class BlockMap {
 public:
  void born(LiveBlock& block, uint64_t pages);
  void touched(const LiveBlock& block, uint64_t first, uint64_t pages, uint64_t at_ns, uint32_t tid,
               double cost_ns);
  void gone(const LiveBlock& block, uint64_t at_ns);
  std::vector<ImageTally::MapRow> rows() &&;

 private:
  static constexpr size_t kRows = 100, kTouches = 2000;
  struct Row {
    uint64_t serial;
    ImageTally::MapRow row;
  };
  static void coarsen(std::vector<TouchRun>& touches);
  Row* row_of(const LiveBlock& block);

  std::vector<Row> rows_;
  uint64_t smallest_ = 0;  // bytes; nothing smaller enters a full map
};

}  // namespace ftprof
