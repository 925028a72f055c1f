// Recorded faults and what they cost, summed. The basic coin of every table in the analyzer.
#pragma once

#include <cstdint>

namespace ftprof {

struct FaultSum {
  uint64_t full =
      0;  // faults, from spans of time in which every fault (or one in a known N) was seen
  uint64_t burst = 0;  // faults seen in bursts, between which none were
  uint64_t timed = 0;  // recorded faults that carry their kernel time
  double cost_ns = 0;  // of the timed ones, corrected
  double square = 0;   // of the timed ones: the sum of squares, for the error

  uint64_t seen() const { return full + burst; }
  FaultSum& operator+=(const FaultSum& other) {
    full += other.full;
    burst += other.burst;
    timed += other.timed;
    cost_ns += other.cost_ns;
    square += other.square;
    return *this;
  }
  FaultSum scaled(double share) const {
    auto part = [share](uint64_t n) {
      return static_cast<uint64_t>(share * static_cast<double>(n) + 0.5);
    };
    return {part(full), part(burst), part(timed), cost_ns * share, square * share};
  }
};

}  // namespace ftprof
