// Statistics of repeated measurements. The minimum is what the work costs when nothing disturbs it;
// the median is what a bandwidth usually is; the coefficient of variation tells whether to believe
// either.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ftprof::workload {

// Each is 0 for no values.
double minimum(std::span<const double> values);
double maximum(std::span<const double> values);
double mean(std::span<const double> values);
double median(std::span<const double> values);
double variation(std::span<const double> values);  // sample deviation / mean; 0 for fewer than two

// The value below which `share` of the values lie (nearest rank). Reorders the values.
uint32_t quantile(std::span<uint32_t> values, double share);

// Values above a limit, as contiguous runs.
struct Runs {
  uint64_t values = 0, runs = 0, longest = 0;
};
Runs runs_above(std::span<const uint32_t> values, uint32_t limit);

}  // namespace ftprof::workload
