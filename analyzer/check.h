// A run held to its budget and to a baseline: each limit beside what was found, and the site to
// blame with what changed in it.
//
// Only counts are judged, unless the budget names a time. What cannot be judged fails, and says
// why: a check that passes because it saw nothing is no check.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/blame.h"
#include "analyzer/budget.h"
#include "analyzer/diff.h"

namespace ftprof {

struct Finding {
  std::string section = {}, key = {};  // "warmup", "max_faults"
  std::string subject = {};            // of a site, its pattern; what the section alone leaves open
  std::string allowed = {}, found = {};  // as figures
  std::optional<double> allowed_value = {}, found_value = {};
  bool exceeded = false;
  std::optional<Blame> blame = {};

  std::string limit() const;  // "[site load_model] max_faults"
};

struct CheckReport {
  std::vector<Finding> findings;
  std::vector<std::string> notes;  // what weakens the verdict

  bool failed() const;
};

// `baseline` may be null. Throws BadInput when the two cannot be compared, or a mark is missing.
CheckReport check_run(const Result& run, const Budget& budget, const Result* baseline);

}  // namespace ftprof
