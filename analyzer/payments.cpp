#include "analyzer/payments.h"

#include <algorithm>

namespace ftprof {

FaultPart slice(const FaultPart& part, uint64_t page_bytes, uint32_t from, uint32_t to) {
  FaultPart piece = part;
  piece.addr = address_of(part, page_bytes, from);
  piece.costs += from;
  piece.faults = to - from;
  return piece;
}

FaultSum sum_of(const FaultPart& part) {
  FaultSum sum;
  (part.burst ? sum.burst : sum.full) = uint64_t{part.faults} * part.period;
  for (uint32_t i = 0; i < part.faults; ++i) {
    if (part.costs[i] == trace::kNotTimed32) continue;
    double cost = part.costs[i];
    ++sum.timed;
    sum.cost_ns += cost;
    sum.square += cost * cost;
  }
  return sum;
}

void pay_refaults(SiteTally& site, LiveBlock& block, double pages) {
  double again = std::min(block.refault_credit, pages);
  block.refault_credit -= again;
  site.reuse.refaulted_after_purge_pages += block.weight * again;
}

namespace {

void count_touched(LiveBlock& block, SiteTally& site, const FaultPart& part,
                   const Touched& touched) {
  if (part.major) {
    block.major += part.faults;
    return;
  }
  block.first += touched.first;
  block.again += touched.again;
  block.more += touched.more;
  pay_refaults(site, block, static_cast<double>(touched.first));
}

void add_costs(CostHistogram& costs, const FaultPart& part) {
  for (uint32_t i = 0; i < part.faults; ++i)
    if (part.costs[i] != trace::kNotTimed32) costs.add(part.costs[i]);
}

}  // namespace

void pay_block(ImageState& state, LiveBlock& block, const FaultPart& part, bool in_call) {
  SiteTally& site = state.tally.sites[block.site];
  uint64_t first = state.page_of(part.addr);
  Touched touched = state.pages.touch(block.pages, first, part.faults);
  if (in_call)
    block.in_call_located += part.faults;
  else
    count_touched(block, site, part, touched);
  FaultSum sum = sum_of(part);
  site.seen += sum;
  add_costs(site.costs, part);
  CellKey cell{block.site, part.ip, part.thread, part.phase};
  block.seen += sum;
  state.tally.cells[cell] += sum;
  state.slices.add(cell, part.begin_ns, part.end_ns, sum);
  state.map.touched(block, first - state.page_of(block.addr), part.faults, part.begin_ns,
                    state.tally.threads[part.thread].tid, sum.cost_ns);
}

void pay_owner(ImageState& state, Owner owner, uint32_t mapping_name, const FaultSum& sum,
               const CellKey& cell, uint64_t begin_ns, uint64_t end_ns) {
  state.slices.add(cell, begin_ns, end_ns, sum);
  state.tally.owners[static_cast<int>(owner)] += sum;
  state.tally.cells[cell] += sum;
  state.tally.mappings[state.mappings.name(mapping_name)] += sum.seen();
}

void pay_populated(ImageState& state, LiveBlock& block, uint64_t faults, double call_ns) {
  if (faults == 0) return;
  block.in_call_populated += faults;
  SiteTally& site = state.tally.sites[block.site];
  site.populated += static_cast<double>(faults) * block.weight;
  site.populate_ns += call_ns * block.weight;
  FaultSum sum;
  sum.full = faults;
  CellKey cell{block.site, kInCall, block.thread, state.phase()};
  block.seen += sum;
  state.tally.cells[cell] += sum;
  state.slices.add(cell, state.now, state.now, sum);
}

}  // namespace ftprof
