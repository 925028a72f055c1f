// What changed in a site, in words, from counts alone.
#pragma once

#include <string>
#include <vector>

#include "analyzer/match.h"
#include "analyzer/tolerance.h"

namespace ftprof {

// One clause for each change, the most telling first; empty when nothing did.
std::vector<std::string> what_changed(const SitePair& pair);

// Whether more than the tolerance of the site's faults are now taken by code that did not take
// them before: the count can be the same and the work not (a memset before a full write).
bool touch_moved(const SitePair& pair, const Tolerance& tolerance, double period = 1);

}  // namespace ftprof
