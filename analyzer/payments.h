// Books faults on who pays for them: a live block's site, or one of the ledger's other rows; and
// for both on the touching code, thread and phase.
#pragma once

#include <cstdint>
#include <limits>

#include "analyzer/image_state.h"

namespace ftprof {

// Recorded faults on consecutive pages that one payer pays for.
struct FaultPart {
  uint32_t thread = 0, ip = 0, phase = 0;
  uint64_t addr = 0;  // touched first
  uint32_t faults = 0, period = 1;
  GapShare gap;
  bool major = false, read = false;
  uint64_t begin_ns = 0, end_ns = 0;  // of the whole run
  const uint32_t* costs = nullptr;    // raw, one for each; kNotTimed32 where not timed
  double stand_in_most_ns = std::numeric_limits<double>::infinity();  // see usual_cost.h

  double weight() const { return period + gap.faults(); }
};

// The address of the i-th fault: the byte touched for the first, the page's beginning for the rest.
inline uint64_t address_of(const FaultPart& part, uint64_t page_bytes, uint32_t i) {
  return i == 0 ? part.addr : part.addr / page_bytes * page_bytes + i * page_bytes;
}
// Faults [from, to) of the part.
FaultPart slice(const FaultPart& part, uint64_t page_bytes, uint32_t from, uint32_t to);
FaultSum sum_of(const FaultPart& part);

// `in_call`: inside the call that handed the block out.
void pay_block(ImageState& state, LiveBlock& block, FaultPart part, bool in_call);
void pay_owner(ImageState& state, Owner owner, uint32_t mapping_name, const FaultSum& sum,
               const CellKey& cell, const GapShare& gap, uint64_t begin_ns, uint64_t end_ns);
// `pages` of the block were faulted in: first of all those that had been given back to the kernel.
void pay_refaults(SiteTally& site, LiveBlock& block, double pages);
// Faults in the call that left no record: their number is known, not their code.
void pay_populated(ImageState& state, LiveBlock& block, uint64_t faults, double call_ns);

}  // namespace ftprof
