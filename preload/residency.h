// How many pages of a range are resident right now, by PAGEMAP_SCAN, pagemap or mincore.
//
// Callable from any program thread inside a hook (no lock, no allocation, no errno, about 1 KiB of
// stack) and from the collector.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "preload/trace_format.h"

namespace ftprof {

// none: look nothing up. sample: at most some hundred pages, spread evenly. full: every page.
enum class Effort : uint8_t { none, sample, full };

// Over `probed` whole pages of the range; all kUnknownPages when nothing could be looked up.
struct PageCounts {
  uint32_t probed = trace::kUnknownPages;
  uint32_t resident = trace::kUnknownPages;
  uint32_t zero = trace::kUnknownPages;
  uint32_t huge = trace::kUnknownPages;
  uint32_t swapped = trace::kUnknownPages;
};

// Counts over the whole pages inside [address, address + bytes).
PageCounts count_pages(uintptr_t address, size_t bytes, Effort effort);

}  // namespace ftprof
