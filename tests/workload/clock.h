// Time as the experiments measure it: CLOCK_MONOTONIC through the vDSO, in ns.
#pragma once

#include <time.h>

#include <cstdint>

namespace ftprof::workload {

inline uint64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

double clock_resolution_ns();  // the smallest step seen between two readings
double timestamp_ns();         // what one reading costs
double estimated_ghz();        // from a chain of dependent additions, one per cycle

}  // namespace ftprof::workload
