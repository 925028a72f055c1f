// Faults that getrusage counted and no record shows, shared out among those that may have had them.
//
// Each candidate has an expectation with its standard error. The sum is known exactly, so each is
// moved by its share of the total error (the least squares under that condition), by at most three
// standard errors in all; what is then left over has no owner.
#pragma once

#include <limits>
#include <vector>

namespace ftprof {

struct Unseen {
  double expected = 0, error = 0;
  double most = std::numeric_limits<double>::infinity();
  double faults = 0;  // the answer; its error takes the place of the expectation's
};

// Returns what is left of `total`, 0 or more. A total below the expectations always holds.
double share_out(std::vector<Unseen>& candidates, double total);

}  // namespace ftprof
