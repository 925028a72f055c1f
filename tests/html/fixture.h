// Results made by hand, for the page and the exports: everything a report can hold, consistent with
// itself (sites sum to the ledger, slices to the sites), the same on every run.
#pragma once

#include "analyzer/compare.h"
#include "analyzer/result.h"

namespace ftprof::fixture {

// A server that loads, warms up and serves: several sites, threads, phases, processes and ranks.
Result rich();

// The same with names meant to break out of whatever prints them.
Result hostile();

// `sites` sites with deep stacks and ten million faults.
Result big(size_t sites);

// rich() under three variants, one of which keeps its blocks, one of which failed once.
Comparison comparison();

// A program that never made a tracked block.
Result empty();

}  // namespace ftprof::fixture
