#include "analyzer/slice_tally.h"

#include <algorithm>
#include <tuple>

namespace ftprof {
namespace {

bool before(const TimeSlice& a, const TimeSlice& b) {
  auto key = [](const TimeSlice& slice) {
    const CellKey& cell = slice.cell;
    return std::tuple(cell.payer, cell.ip, cell.thread, cell.phase, cell.sighting, slice.begin_ns);
  };
  return key(a) < key(b);
}

}  // namespace

void SliceTally::add(const CellKey& cell, uint64_t begin_ns, uint64_t end_ns, const FaultSum& sum) {
  uint32_t& latest = latest_[cell];
  if (latest != 0) {
    TimeSlice& slice = tally_.slices[latest - 1];
    if (begin_ns >= slice.begin_ns && begin_ns <= slice.end_ns + gap_ns_) {
      slice.end_ns = std::max(slice.end_ns, end_ns);
      slice.sum += sum;
      return;
    }
  }
  tally_.slices.push_back({begin_ns, end_ns, cell, sum});
  latest = static_cast<uint32_t>(tally_.slices.size());
  if (tally_.slices.size() > limit_) coarsen();
}

void SliceTally::coarsen() {
  auto& slices = tally_.slices;
  std::sort(slices.begin(), slices.end(), before);
  while (slices.size() > kMost / 2 && gap_ns_ < (uint64_t{1} << 62)) {
    gap_ns_ *= 2;
    size_t last = 0;
    for (size_t i = 1; i < slices.size(); ++i) {
      TimeSlice& into = slices[last];
      if (into.cell == slices[i].cell && slices[i].begin_ns <= into.end_ns + gap_ns_) {
        into.end_ns = std::max(into.end_ns, slices[i].end_ns);
        into.sum += slices[i].sum;
      } else {
        slices[++last] = slices[i];
      }
    }
    slices.resize(last + 1);
  }
  limit_ = std::max(kMost, slices.size() * 2);
  latest_ = {};
  for (size_t i = 0; i < slices.size(); ++i) latest_[slices[i].cell] = static_cast<uint32_t>(i + 1);
}

}  // namespace ftprof
