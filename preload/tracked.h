// The library's own block tables, range set and filter, for the files that fill them.
#pragma once

#include "preload/block_table.h"
#include "preload/filter.h"
#include "preload/memory.h"
#include "preload/ranges.h"

namespace ftprof {

extern BlockTable g_blocks;
extern BlockTable g_pool_blocks;  // blocks of the program's own pools
extern RangeSet g_ranges;

}  // namespace ftprof
