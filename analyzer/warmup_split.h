// A run cut in two: warm-up and what comes after.
#pragma once

#include <string>
#include <vector>

#include "analyzer/result.h"

namespace ftprof {

struct WarmupSplit {
  bool settled = true;             // false: warm-up did not end, everything is warm-up
  double end_ns = 0;               // since the run's start
  double faults = 0, cost_ns = 0;  // of warm-up
  double steady_faults = 0, steady_cost_ns = 0, steady_ns = 0;
  std::vector<std::string> phases;  // of warm-up, when it ends at a mark

  double steady_faults_per_second() const;
  double steady_cost_share() const;
};

// `until` is "mark:NAME", a time ("2s") or "auto". A mark ends warm-up exactly; a time within an
// interval of the timeline takes its part of it. Throws BadInput for a mark that the run never
// passed.
WarmupSplit split_warmup(const Result& run, const std::string& until);

// The site's faults in these phases; all of them when there are none.
uint64_t faults_in(const Site& site, const std::vector<std::string>& phases);

}  // namespace ftprof
