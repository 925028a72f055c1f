// What `ftprof check` holds a run to, read from TOML. docs/ci.md explains every key.
//
// Keys that are not known are refused with their line and the nearest one that is. The same file
// may hold settings for `ftprof run -c`; they are checked as such.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/tolerance.h"

namespace ftprof {

using Limit = std::optional<double>;  // absent: not limited. Counts, ns, bytes, or shares of 1

struct RunBudget {
  Limit max_faults, max_major_faults, max_fault_time_ns, min_accounted;
  Limit max_peak_resident_bytes, max_cold_handouts, max_refaults_after_purge, min_warm;
};

struct WarmupBudget {
  std::string until = "auto";  // "mark:NAME", a time, or "auto"
  Limit max_faults, max_fault_time_ns;
};

struct SteadyBudget {
  Limit max_faults_per_second, max_fault_time_share;
};

struct SiteBudget {
  std::string match;  // a regular expression, found in any frame
  Limit max_faults, max_fault_time_ns, min_warm, max_cold_handouts, max_untouched;
};

struct Budget {
  RunBudget run;
  WarmupBudget warmup;
  SteadyBudget steady;
  std::vector<SiteBudget> sites;
  Tolerance baseline;
};

// Throw BadInput with path and line for anything that is no budget.
Budget parse_budget(std::string_view toml, const std::string& path);
Budget load_budget(const std::string& path);

}  // namespace ftprof
