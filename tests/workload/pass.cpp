#include "tests/workload/pass.h"

#include <algorithm>

#include "tests/workload/machine.h"
#include "tests/workload/statistics.h"

namespace ftprof::workload {

Pass::Pass(std::string name, size_t pages, size_t reps) : name_(std::move(name)), pages_(pages) {
  ns_.reserve(reps);
  faults_.reserve(reps);
}

void Pass::record(uint64_t begin, uint64_t faults_before) {
  uint64_t end = now_ns(), faults = thread_faults();
  if (!keep_) return;
  ns_.push_back(static_cast<double>(end - begin));
  faults_.push_back(static_cast<double>(faults - faults_before));
}

double Pass::min_ns() const {
  return minimum(ns_);
}
double Pass::variation() const {
  return workload::variation(ns_);
}
uint64_t Pass::median_faults() const {
  return static_cast<uint64_t>(median(faults_));
}
bool Pass::faultless() const {
  return maximum(faults_) == 0;
}

double Pass::median_gb_per_s() const {
  double ns = median(ns_);
  return ns > 0 ? static_cast<double>(pages_ * page_bytes()) / ns : 0;
}

size_t Pass::slow_reps(double limit) const {
  double total = limit * static_cast<double>(pages_);
  return static_cast<size_t>(
      std::count_if(ns_.begin(), ns_.end(), [total](double ns) { return ns > total; }));
}

double Pass::worst_ns_per_page() const {
  return maximum(ns_) / static_cast<double>(pages_);
}

nlohmann::ordered_json Pass::json() const {
  return {{"name", name_},
          {"pages", pages_},
          {"reps", reps()},
          {"min_ns", min_ns()},
          {"median_ns", median(ns_)},
          {"min_ns_per_page", min_ns_per_page()},
          {"median_gb_per_s", median_gb_per_s()},
          {"variation", variation()},
          {"median_faults", median_faults()},
          {"ns", ns_},
          {"faults", faults_}};
}

}  // namespace ftprof::workload
