#include "tests/workload/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ftprof::workload {

double minimum(std::span<const double> values) {
  return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

double maximum(std::span<const double> values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

double mean(std::span<const double> values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median(std::span<const double> values) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  size_t half = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

double variation(std::span<const double> values) {
  double center = mean(values), squares = 0;
  if (values.size() < 2 || center == 0) return 0;
  for (double value : values) squares += (value - center) * (value - center);
  return std::sqrt(squares / static_cast<double>(values.size() - 1)) / center;
}

uint32_t quantile(std::span<uint32_t> values, double share) {
  if (values.empty()) return 0;
  double rank = std::ceil(share * static_cast<double>(values.size()));
  auto at = std::clamp<size_t>(static_cast<size_t>(rank), 1, values.size()) - 1;
  auto nth = values.begin() + static_cast<ptrdiff_t>(at);
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

Runs runs_above(std::span<const uint32_t> values, uint32_t limit) {
  Runs found;
  uint64_t length = 0;
  for (uint32_t value : values) {
    length = value > limit ? length + 1 : 0;
    found.values += length > 0;
    found.runs += length == 1;
    found.longest = std::max(found.longest, length);
  }
  return found;
}

}  // namespace ftprof::workload
