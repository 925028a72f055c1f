// Which site of one run is which of another.
//
// First by equal stacks of names. What is left is matched by its callers: two stacks that become
// equal when one frame is taken out of either (a function renamed, inlined away, or split in two)
// and whose blocks are of like size are the same site. Symmetric: matching B with A pairs the same
// sites as matching A with B.
#pragma once

#include <vector>

#include "analyzer/site_sum.h"

namespace ftprof {

struct SitePair {
  const SiteSum* before = nullptr;  // null: only in the second run
  const SiteSum* after = nullptr;   // null: only in the first
  bool by_callers = false;

  const SiteSum& any() const { return after ? *after : *before; }
};

// The sums must outlive the pairs. Every site of either run is in exactly one pair.
std::vector<SitePair> match_sites(const std::vector<SiteSum>& before,
                                  const std::vector<SiteSum>& after);

}  // namespace ftprof
