// A pass: one piece of work, repeated, each time timed as a whole between two readings of the
// thread's fault count that lie outside the timed window. The thread's: a profiler's own thread in
// this process must not be counted as the work's.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/workload/clock.h"
#include "tests/workload/faults.h"

namespace ftprof::workload {

class Pass {
 public:
  // `reps` repetitions of work over `pages` pages; nothing is allocated while they are recorded.
  Pass(std::string name, size_t pages, size_t reps);

  // Repetitions before keep(true) are warm-up and not recorded.
  void keep(bool keep) { keep_ = keep; }

  template <class Work>
  auto time(Work work) {
    uint64_t faults = thread_faults(), begin = now_ns();
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      record(begin, faults);
    } else {
      auto result = work();
      record(begin, faults);
      return result;
    }
  }

  const std::string& name() const { return name_; }
  size_t reps() const { return ns_.size(); }
  double min_ns() const;
  double min_ns_per_page() const { return min_ns() / static_cast<double>(pages_); }
  double median_gb_per_s() const;  // 10^9 bytes
  double variation() const;
  uint64_t median_faults() const;
  bool faultless() const;  // no repetition took a fault

  // Repetitions whose average was above `limit` ns per page, and the worst average.
  size_t slow_reps(double limit) const;
  double worst_ns_per_page() const;

  nlohmann::ordered_json json() const;

 private:
  void record(uint64_t begin, uint64_t faults_before);

  std::string name_;
  size_t pages_;
  bool keep_ = false;
  std::vector<double> ns_;
  std::vector<double> faults_;
};

}  // namespace ftprof::workload
