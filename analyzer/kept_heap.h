// What the program would have paid had its allocator kept every page: each page once, as many as
// were in use at the same time.
//
// Per site, that is the touched share of the most bytes that were live at once. Sites that take
// turns can share what is kept: where every block's life is known, a sweep over them finds how many
// touched pages all sites together needed at once, and the savings are scaled to that.
#pragma once

#include <vector>

#include "analyzer/result.h"

namespace ftprof {

class KeptHeap {
 public:
  explicit KeptHeap(const Result& result);

  // The faults of this site that kept pages would have spared.
  double spared_faults(uint32_t site) const { return spared_[site]; }

 private:
  std::vector<double> spared_;
};

}  // namespace ftprof
