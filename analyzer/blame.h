// The site behind a finding of `ftprof check`, ready to be shown.
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/diff.h"

namespace ftprof {

struct Blame {
  std::string id, site, stack;  // label, and names innermost first
  std::string file;             // empty when unknown
  uint32_t line = 0;
  std::string changed;  // in words: what it pays, or how it differs from the baseline
};

Blame blame(const Site& site);
Blame blame(const SiteDiff& site);

}  // namespace ftprof
