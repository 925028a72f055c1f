// The end of warm-up: the first moment after which the fault rate stays low.
//
// The run is cut into 100 slices. Warm-up has ended behind the first slice after which no slice has
// more than a twentieth of the faults of the busiest slice up to then (a run pays a few faults now
// and then for ever; ten per slice count as none). A run that stays busy into its last tenth has
// not warmed up: then there is no such moment.
#include <algorithm>
#include <vector>

#include "analyzer/merge.h"

namespace ftprof {
namespace {

constexpr size_t kSlices = 100, kTail = 10;
constexpr double kQuietShare = 0.05, kQuietFaults = 10;

std::vector<double> slices_of(const Timeline& timeline) {
  std::vector<double> slices(std::min(kSlices, timeline.faults.size()));
  for (size_t i = 0; i < timeline.faults.size(); ++i)
    slices[i * slices.size() / timeline.faults.size()] += static_cast<double>(timeline.faults[i]);
  return slices;
}

}  // namespace

std::optional<double> warmup_end(const Timeline& timeline) {
  std::vector<double> slices = slices_of(timeline);
  size_t count = slices.size();
  if (count < 2 * kTail) return std::nullopt;
  std::vector<double> busiest_later(count + 1);
  for (size_t i = count; i-- > 0;) busiest_later[i] = std::max(busiest_later[i + 1], slices[i]);
  double busiest = 0;
  for (size_t i = 0; i + kTail < count; ++i) {
    busiest = std::max(busiest, slices[i]);
    if (busiest == 0 || busiest_later[i + 1] > std::max(kQuietFaults, busiest * kQuietShare))
      continue;
    double buckets = static_cast<double>(timeline.faults.size());
    return timeline.interval_ns * buckets * static_cast<double>(i + 1) / static_cast<double>(count);
  }
  return std::nullopt;
}

}  // namespace ftprof
