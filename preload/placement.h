// On which NUMA nodes a block's pages are, asked of the kernel (move_pages without targets) at
// hand-out, when some are resident already, and at give-back. Its first toucher decides where a
// page lives; a block that is recycled by a thread of another node keeps the old one's.
//
// Linux 6.1 to 6.5 calls a page absent while automatic NUMA balancing waits for its next access.
// Such pages are not counted; a block of nothing else gets no event.
//
// On a machine of one node nothing is asked and nothing is written. Callable from any program
// thread inside a hook and from the collector: no lock, no allocation, no errno, 1 KiB of stack.
// Measured: about 0.1 us per page and call, so at most kPlacedPages are asked, wherever the block
// is large.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "preload/trace_format.h"

namespace ftprof {

inline constexpr size_t kPlacedPages = 64;
inline constexpr unsigned kMostNodes = 64;  // pages on higher ones are not counted

// How many nodes there may be (one more than the highest); once, by the constructor.
void set_nodes(unsigned nodes);

struct NodeCounts {
  uint32_t sampled = 0;  // resident pages among those asked
  uint32_t nodes = 0;    // counts beyond are 0
  uint32_t counts[kMostNodes] = {};
};

// Over a sample of the whole pages inside [address, address + bytes).
NodeCounts count_nodes(uintptr_t address, size_t bytes);

// Writes the event, if there is more than one node and a page that is resident.
// tid and cpu_node as the event has them.
struct Asker {
  uint32_t tid = 0, cpu_node = 0;
};
void record_placement(const Asker& asker, trace::PlacementMoment moment, uintptr_t address,
                      size_t bytes);

// The page numbers that count_nodes asks for, of `pages` in all; returns how many. Spread evenly,
// with a jitter: pages that are interleaved over nodes would all be of one node at an even step.
size_t pick_pages(size_t pages, size_t (&picked)[kPlacedPages]);

}  // namespace ftprof
