// When two counts of the same thing differ for a reason. Counts do not depend on the machine's
// mood, but address randomisation moves a few faults, and sampled counts carry their error.
#pragma once

#include <algorithm>
#include <cmath>

namespace ftprof {

struct Tolerance {
  double share = 0.02;  // of the count before
  double slack = 32;    // faults or pages that never matter
};

// The change that is still within tolerance. `period` is how many faults a recorded one stands for,
// averaged over both runs (1: exact): three standard errors of both counts are allowed on top.
inline double allowed_change(double before, double after, const Tolerance& tolerance,
                             double period = 1) {
  double noise = period > 1 ? 3 * std::sqrt((before + after) * period) : 0;
  return std::max(tolerance.share * before, tolerance.slack) + noise;
}

}  // namespace ftprof
