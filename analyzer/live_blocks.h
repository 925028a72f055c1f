// The blocks that live now, by address. Blocks nest (a pool's hand-out inside a malloc block inside
// a mapping), so there are three layers; within one layer blocks do not overlap.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/chunk_map.h"
#include "analyzer/fault_sum.h"
#include "analyzer/page_sets.h"
#include "analyzer/result.h"
#include "preload/trace_format.h"

namespace ftprof {

inline constexpr uint32_t kNoBlock = 0xFFFFFFFF;

// Pages of a block as a probe found them.
struct Probe {
  uint32_t probed = 0, resident = trace::kUnknownPages, zero = 0, huge = 0;
  bool zero_known = false;
  bool known() const { return resident != trace::kUnknownPages && probed != 0; }
};

struct LiveBlock {
  uint64_t addr = 0, size = 0;
  uint64_t serial = 0;
  uint64_t born_ns = 0;
  uint32_t site = 0, thread = 0;
  uint32_t fed_by = kNoBlock;  // the site that had most of its resident pages before
  trace::Api api = trace::Api::unknown;
  uint8_t flags = 0;
  uint8_t layer = 0;
  bool continued = false;     // the rest of a block that was split: not a hand-out of its own
  bool blurred = false;       // what is resident cannot be told from the faults any more
  bool holds_blocks = false;  // of an inner layer: its pages are theirs, as far as anyone can tell
  double weight = 1;
  PageList pages;
  // Faults seen, by what they found; the kinds follow when the block ends.
  uint64_t first = 0, again = 0, more = 0, major = 0;
  uint64_t in_call_located = 0, in_call_populated = 0;
  uint64_t moved_zero = 0;  // zero pages that came along from the block it was moved from
  double again_stands = 0;  // what `again` stands for
  uint64_t zero_standing = 0, zero_lost = 0;  // zero pages at the last look, and those gone since
  uint64_t zero_singles = 0;                  // pages read once and then given back to the kernel
  uint64_t in_call_whole = 0;                 // pages of it that lie in the block entirely
  uint64_t resident_at_handout = 0, touched_at_handout = 0;
  bool handout_known = false;
  uint64_t populated_later = 0;        // pages made resident by MADV_POPULATE_*
  uint64_t purged = 0;                 // resident pages given back while it lived
  uint64_t first_at_purge = 0;         // `first` at the last purge
  uint64_t most_resident = 0;          // that a probe has found
  uint64_t kernel_copies = 0;          // found at an earlier purge
  double refault_credit = 0;           // pages that were given back here and not paid for again yet
  Probe latest;                        // by a snapshot
  std::vector<uint32_t> latest_nodes;  // sampled pages by node, when they were last asked for
  uint32_t map_row = kNoBlock;         // in the block map
  FaultSum seen;
  HandOut handed_out = HandOut::unknown;
  uint32_t previous_site = kNoBlock;
  std::optional<uint64_t> idle_ns;  // from the last give-back here to the hand-out

  uint64_t end() const { return addr + size; }
};

// A mapping of the program's, as opposed to what a memory allocator handed out.
bool is_mapping(trace::Api api);

class LiveBlocks {
 public:
  // The innermost block at `addr` (kNoBlock: none), and up to where that answer holds.
  struct Found {
    uint32_t block = kNoBlock;
    uint64_t upto = 0;
  };
  Found find(uint64_t addr);
  // The block that begins at exactly `addr`, innermost first.
  uint32_t at(uint64_t addr);
  // The first block of any layer that begins in (addr, limit).
  uint32_t beginning_in(uint64_t addr, uint64_t limit);
  // Every block that overlaps [begin, end).
  std::vector<uint32_t> overlapping(uint64_t begin, uint64_t end);
  // Those of the new block's own layer that it overlaps: their end was not recorded.
  std::vector<uint32_t> displaced_by(const LiveBlock& block);

  uint32_t add(LiveBlock block);  // chooses the layer
  void take_out(uint32_t block);  // no longer found by address; the block itself stays
  void put_back(uint32_t block);
  void discard(uint32_t block);  // frees the slot
  LiveBlock& operator[](uint32_t block) { return blocks_[block]; }
  uint64_t generation() const { return generation_; }  // changes with every change

  // The blocks of outer layers that hold the first byte of this one.
  template <class Visit>
  void for_each_around(const LiveBlock& block, Visit visit) {
    for (int layer = 0; layer < block.layer; ++layer)
      if (auto* outer = layers_[layer].floor(block.addr);
          outer && blocks_[outer->value].end() > block.addr)
        visit(blocks_[outer->value]);
  }

  template <class Visit>
  void for_each(Visit visit) {
    for (auto& layer : layers_) layer.for_each([&](uint64_t, uint32_t block) { visit(block); });
  }

 private:
  static constexpr int kLayers = 3;
  std::array<ChunkMap<uint32_t>, kLayers> layers_;
  std::vector<LiveBlock> blocks_;
  std::vector<uint32_t> free_;
  uint64_t serial_ = 0, generation_ = 0;
};

}  // namespace ftprof
