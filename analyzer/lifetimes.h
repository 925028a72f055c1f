// Blocks from hand-out to give-back: keeps the live blocks and the address history up to date,
// tells the class of each hand-out, and settles blocks when they end.
//
// A give-back stays open with its thread until the next event of that thread shows what it was: the
// pages may move to a new block (realloc), or the call may have failed (kReinstated).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "analyzer/attribution.h"
#include "analyzer/image_state.h"

namespace ftprof {

// A probe's counts as an event carries them.
inline Probe probe_of(uint32_t probed, uint32_t resident, uint32_t zero = 0, uint32_t huge = 0) {
  auto known = [](uint32_t pages) { return pages == trace::kUnknownPages ? 0 : pages; };
  return {probed, resident, known(zero), known(huge), zero != trace::kUnknownPages};
}

// An event's numbers may be anything.
inline uint64_t saturated_end(uint64_t addr, uint64_t size) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max() / 2;
  addr = std::min(addr, kMost);
  return addr + std::min(size, kMost - addr);
}

// Not the rest of a split block, nor one that a parent process left.
inline bool hands_out(const LiveBlock& block) {
  return !block.continued && block.api != trace::Api::inherited;
}

class Lifetimes {
 public:
  Lifetimes(ImageState& state, Attribution& attribution)
      : state_(state), attribution_(attribution) {}

  void stack(uint32_t id, uint32_t index);  // stack id of the trace, index in ImageTally::stacks

  void block(const trace::Block& event);
  void release(const trace::Release& event);
  void released(const trace::Released& event);
  void range(const trace::RangeOp& event);
  void residency(const trace::Residency& event);
  void placement(const trace::Placement& event, const std::vector<uint32_t>& counts);
  void finish();

 private:
  uint32_t site_of(uint32_t stack_id, trace::Api api);
  bool reinstate(const trace::Block& event, uint32_t thread);
  uint32_t displaced_end(uint32_t thread, const trace::Block& event);
  uint32_t begin_block(const trace::Block& event, uint32_t thread, uint32_t moved_from);
  uint64_t unseen_pages(const LiveBlock& block, uint64_t resident,
                        const Attribution::InCall& found) const;
  void in_call_faults(const trace::Block& event, uint32_t thread, LiveBlock& block);
  void hand_out(const trace::Block& event, LiveBlock& block);
  void classify(LiveBlock& block, std::vector<PastPart>& past);
  void count_class(LiveBlock& block, SiteTally& site, double share, bool known, bool had_block);
  void inherit_past(LiveBlock& block, const std::vector<PastPart>& past, uint64_t warm_pages);

  // Settles it and frees its slot; `heir` takes over what is known of its pages.
  void end_block(uint32_t block, const Probe& probe, uint32_t heir = kNoBlock);
  void finish_ending(uint32_t thread);
  void remember(const LiveBlock& block, uint64_t begin, uint64_t end);
  void note_idle();
  void purge_idle(Past& past, double pages);
  void look_at_idle(const trace::Residency& event, const Probe& probe);
  void find_late_purge(std::vector<PastPart>& past, double resident);
  void place(const LiveBlock& block, const Probe& probe);
  void place_recycled(const LiveBlock& block, const std::vector<uint32_t>& counts, uint32_t node);

  void unmap(const trace::RangeOp& event);
  void claim(const trace::RangeOp& event);
  void cut_block(uint32_t block, uint64_t begin, uint64_t end, const trace::RangeOp& event);
  void purge(const trace::RangeOp& event, bool lazily);
  void populate(const trace::RangeOp& event);
  void advise(const trace::RangeOp& event);

  ImageState& state_;
  Attribution& attribution_;
  FlatMap<uint64_t, uint32_t> stack_index_;  // stack id to index + 1
  FlatMap<uint64_t, uint32_t> site_index_;   // stack id (or api without one) to index + 1
};

}  // namespace ftprof
