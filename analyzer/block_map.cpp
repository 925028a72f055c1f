#include "analyzer/block_map.h"

#include <algorithm>

namespace ftprof {

void BlockMap::born(LiveBlock& block, uint64_t pages) {
  if (rows_.size() == kRows && block.size <= smallest_) return;
  size_t at = rows_.size();
  if (at < kRows)
    rows_.emplace_back();
  else
    at = std::min_element(rows_.begin(), rows_.end(),
                          [](const Row& a, const Row& b) { return a.row.bytes < b.row.bytes; }) -
         rows_.begin();
  rows_[at] = {block.serial, {block.site, block.size, pages, block.born_ns, std::nullopt, {}}};
  block.map_row = static_cast<uint32_t>(at);
  smallest_ = ~uint64_t{0};
  for (const Row& row : rows_) smallest_ = std::min(smallest_, row.row.bytes);
}

BlockMap::Row* BlockMap::row_of(const LiveBlock& block) {
  if (block.map_row == kNoBlock || rows_[block.map_row].serial != block.serial) return nullptr;
  return &rows_[block.map_row];
}

void BlockMap::touched(const LiveBlock& block, uint64_t first, uint64_t pages, uint64_t at_ns,
                       uint32_t tid, double cost_ns) {
  Row* row = row_of(block);
  if (!row) return;
  auto& touches = row->row.touches;
  if (!touches.empty() && touches.back().tid == tid &&
      touches.back().first + touches.back().pages == first) {
    touches.back().pages += static_cast<uint32_t>(pages);
    touches.back().cost_ns += cost_ns;
    return;
  }
  touches.push_back({static_cast<uint32_t>(first), static_cast<uint32_t>(pages),
                     static_cast<double>(at_ns), tid, cost_ns});
  if (touches.size() >= 2 * kTouches) coarsen(touches);
}

// Merges neighbours: at first those without a gap, then over ever wider gaps.
void BlockMap::coarsen(std::vector<TouchRun>& touches) {
  std::sort(touches.begin(), touches.end(),
            [](const TouchRun& a, const TouchRun& b) { return a.first < b.first; });
  for (uint64_t gap = 0; touches.size() > kTouches; gap = gap * 2 + 1) {
    size_t last = 0;
    for (size_t i = 1; i < touches.size(); ++i) {
      TouchRun& run = touches[last];
      const TouchRun& next = touches[i];
      uint64_t end = uint64_t{run.first} + run.pages;
      if (next.first <= end + gap && (gap != 0 || next.tid == run.tid)) {
        run.pages =
            static_cast<uint32_t>(std::max(end, uint64_t{next.first} + next.pages) - run.first);
        run.cost_ns += next.cost_ns;
        run.at_ns = std::min(run.at_ns, next.at_ns);
      } else {
        touches[++last] = next;
      }
    }
    touches.resize(last + 1);
    if (gap > ~uint64_t{0} / 4) break;
  }
}

void BlockMap::gone(const LiveBlock& block, uint64_t at_ns) {
  if (Row* row = row_of(block)) row->row.gone_ns = at_ns;
}

std::vector<ImageTally::MapRow> BlockMap::rows() && {
  std::vector<ImageTally::MapRow> rows;
  for (Row& row : rows_) {
    if (row.row.touches.size() > kTouches) coarsen(row.row.touches);
    rows.push_back(std::move(row.row));
  }
  return rows;
}

}  // namespace ftprof
