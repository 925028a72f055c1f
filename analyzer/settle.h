// The end of a block: from the faults that were seen in it and the pages that were found in it, the
// kinds of its faults and the state of its pages, booked on its site.
#pragma once

#include "analyzer/image_state.h"

namespace ftprof {

// `probe` is the state of the pages just before; unknown when nobody looked. The block's page
// bitmaps and its slot stay the caller's.
void settle_block(ImageState& state, LiveBlock& block, const Probe& probe,
                  std::optional<uint64_t> gone_ns);

// How many of the block's pages are the zero page now: those that no longer are were written to.
void look_at_zero_pages(ImageState& state, LiveBlock& block, const Probe& probe);

// Pages in [first, first + count) of the block went back to the kernel; `probe` is how they were
// before. `lazily`: MADV_FREE, the kernel takes them when it needs them.
void purge_pages(ImageState& state, LiveBlock& block, PageRange range, const Probe& probe,
                 bool lazily);

}  // namespace ftprof
