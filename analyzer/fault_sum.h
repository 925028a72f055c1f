// Recorded faults and what they cost, summed. The basic coin of every table in the analyzer.
//
// A recorded fault stands for `weight` faults: 1 where every fault is recorded, N where one in N
// is, and at a burst's ends for its part of the gap beside it. Sums of exact records are whole
// numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ftprof {

struct FaultSum {
  uint64_t recorded = 0;
  double faults = 0;   // what they stand for
  uint64_t timed = 0;  // recorded faults that carry their kernel time
  double weight = 0;   // what those stand for
  double cost_ns = 0;  // of the timed ones, raw, by weight
  double square = 0;   // likewise the sum of squares, for the error

  double raw_mean() const { return weight > 0 ? cost_ns / weight : 0; }
  double deviation() const {
    double mean = raw_mean();
    return weight > 0 ? std::sqrt(std::max(0.0, square / weight - mean * mean)) : 0;
  }
  FaultSum& operator+=(const FaultSum& other) {
    recorded += other.recorded;
    faults += other.faults;
    timed += other.timed;
    weight += other.weight;
    cost_ns += other.cost_ns;
    square += other.square;
    return *this;
  }
  // What a part of what they stand for costs; `recorded` and `timed` stay with the whole.
  FaultSum share(double part) const {
    return {0, faults * part, 0, weight * part, cost_ns * part, square * part};
  }
};

}  // namespace ftprof
