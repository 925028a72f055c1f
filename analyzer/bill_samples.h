// The whole bill as samples, the shape that pprof, speedscope and flame graphs ask for: a stack,
// who paid and when, and four values. Their sums are the ledger's: what has no block has a stack of
// one frame, "[stack]" and the like, and nothing is dropped.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "analyzer/result.h"

namespace ftprof {

// The values of a sample, in this order in every format.
enum SampleValue { kFaults, kFaultTime, kFirstTouch, kWarm, kSampleValues };

struct SampleType {
  const char* name;
  const char* unit;  // pprof's words
};
inline constexpr SampleType kSampleTypes[kSampleValues] = {{"faults", "count"},
                                                           {"fault_time", "nanoseconds"},
                                                           {"first_touch", "bytes"},
                                                           {"warm", "bytes"}};

struct BillSample {
  const std::vector<Frame>* stack = nullptr;  // innermost first; lives as long as Bill and Result
  uint32_t process = kNone, thread = kNone, phase = kNone;  // indexes into the Result's
  std::array<int64_t, kSampleValues> values = {};
};

class Bill {
 public:
  // Refers to `result`, which must outlive it.
  explicit Bill(const Result& result);
  Bill(const Bill&) = delete;
  Bill& operator=(const Bill&) = delete;

  const std::vector<BillSample>& samples() const { return samples_; }

 private:
  void add_sites(const Result& result);
  void add_owner(const Result& result, const LedgerRow& row);
  void add(std::vector<Frame> stack, uint64_t faults, double cost_ns);

  std::deque<std::vector<Frame>> stacks_;  // of samples without a site; never moves
  std::vector<BillSample> samples_;
};

}  // namespace ftprof
