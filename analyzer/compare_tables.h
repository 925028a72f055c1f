// The tables of `ftprof compare`, for text and markdown alike.
#pragma once

#include <vector>

#include "analyzer/compare.h"
#include "analyzer/table.h"
#include "analyzer/try_advice.h"

namespace ftprof {

// The bill, the hand-outs, the sites that differ most, and the trials of advice; those that have
// nothing to show are left out. A figure that differs from the first variant's beyond the noise
// carries an asterisk.
std::vector<Table> compare_tables(const Comparison& comparison, const std::vector<Trial>& trials);

}  // namespace ftprof
