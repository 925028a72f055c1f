// What a bill holds that no record speaks for, and when it may have been paid: before the faults
// could be observed, by a site that no burst caught, by the profiler itself, by nobody known.
// With it, what is told by time and by phase adds up to the whole bill.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/image_bill.h"

namespace ftprof {

struct Unplaced {
  uint32_t payer = 0;
  double faults = 0, cost_ns = 0;
  uint64_t begin_ns = 0, end_ns = 0;  // monotonic; evenly between
};

std::vector<Unplaced> find_unplaced(const ImageTally& image, const ImageBill& bill);

}  // namespace ftprof
