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
  double weight = part.weight();
  sum.recorded = part.faults;
  sum.faults = weight * part.faults;
  for (uint32_t i = 0; i < part.faults; ++i) {
    if (part.costs[i] == trace::kNotTimed32) continue;
    double cost = part.costs[i], others = std::min(cost, part.stand_in_most_ns);
    ++sum.timed;
    sum.cost_ns += cost + (weight - 1) * others;
    sum.square += cost * cost + (weight - 1) * others * others;
  }
  sum.weight = weight * static_cast<double>(sum.timed);
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
  block.again_stands += static_cast<double>(touched.again) * part.weight();
  block.more += touched.more;
  pay_refaults(site, block, static_cast<double>(touched.first));
}

// From when to when the faults happened that the part stands for.
struct Span {
  uint64_t begin_ns, end_ns;
};
Span span_of(const GapShare& gap, uint64_t begin_ns, uint64_t end_ns) {
  if (gap.before > 0) begin_ns = std::min(begin_ns, gap.from_ns);
  if (gap.after > 0) end_ns = std::max(end_ns, gap.to_ns);
  return {begin_ns, end_ns};
}

// What the burst before a gap says of it, less what the one behind it says.
void note_tilt(ImageTally& tally, uint32_t payer, const GapShare& gap, uint64_t recorded) {
  auto faults = static_cast<double>(recorded);
  if (gap.before > 0) tally.gap_tilt[{payer, gap.window}] -= gap.before * faults;
  if (gap.after > 0) tally.gap_tilt[{payer, gap.window + 1}] += gap.after * faults;
}

void add_costs(CostHistogram& costs, const FaultPart& part) {
  for (uint32_t i = 0; i < part.faults; ++i)
    if (part.costs[i] != trace::kNotTimed32) costs.add(part.costs[i]);
}

// A part whose faults were all seen alike.
void book(ImageState& state, LiveBlock& block, const FaultPart& part, Sighting sighting,
          const FaultSum& sum) {
  CellKey cell{block.site, part.ip, part.thread, part.phase, sighting};
  state.tally.sites[block.site].seen[static_cast<size_t>(sighting)] += sum;
  state.tally.cells[cell] += sum;
  Span span = span_of(part.gap, part.begin_ns, part.end_ns);
  state.slices.add(cell, span.begin_ns, span.end_ns, sum);
}

// Where every fault is recorded, first and second ones on their pages are told apart one by one.
void book_by_turn(ImageState& state, LiveBlock& block, const FaultPart& part) {
  uint64_t first = state.page_of(part.addr);
  for (uint32_t from = 0, to; from < part.faults; from = to) {
    bool again = state.pages.twice(block.pages, first + from);
    for (to = from + 1; to < part.faults; ++to)
      if (state.pages.twice(block.pages, first + to) != again) break;
    FaultPart alike = slice(part, state.page_bytes(), from, to);
    Sighting first_ones = part.read ? Sighting::read : Sighting::plain;
    book(state, block, alike, again ? Sighting::again : first_ones, sum_of(alike));
  }
}

}  // namespace

void pay_block(ImageState& state, LiveBlock& block, FaultPart part, bool in_call) {
  // The call's own count says how many there were.
  if (in_call) part.gap = {}, part.period = 1;
  SiteTally& site = state.tally.sites[block.site];
  uint64_t first = state.page_of(part.addr);
  Touched touched = state.pages.touch(block.pages, first, part.faults);
  if (in_call)
    block.in_call_located += part.faults;
  else
    count_touched(block, site, part, touched);
  FaultSum sum = sum_of(part);
  Sighting sighting = in_call ? Sighting::in_call : part.read ? Sighting::read : Sighting::plain;
  if (!in_call && !part.major && touched.first < part.faults && state.observation.all_recorded())
    book_by_turn(state, block, part);
  else
    book(state, block, part, sighting, sum);
  if (sighting == Sighting::plain && touched.again == part.faults) site.again_seen += sum;
  add_costs(site.costs, part);
  block.seen += sum;
  note_tilt(state.tally, block.site, part.gap, part.faults);
  state.map.touched(block, first - state.page_of(block.addr), part.faults, part.begin_ns,
                    state.tally.threads[part.thread].tid, sum.cost_ns / part.weight());
}

void pay_owner(ImageState& state, Owner owner, uint32_t mapping_name, const FaultSum& sum,
               const CellKey& cell, const GapShare& gap, uint64_t begin_ns, uint64_t end_ns) {
  note_tilt(state.tally, cell.payer, gap, sum.recorded);
  Span span = span_of(gap, begin_ns, end_ns);
  state.slices.add(cell, span.begin_ns, span.end_ns, sum);
  state.tally.owners[static_cast<int>(owner)] += sum;
  state.tally.cells[cell] += sum;
  state.tally.mappings[state.mappings.name(mapping_name)] += sum.faults;
}

void pay_populated(ImageState& state, LiveBlock& block, uint64_t faults, double call_ns) {
  if (faults == 0) return;
  block.in_call_populated += faults;
  SiteTally& site = state.tally.sites[block.site];
  site.populated += static_cast<double>(faults) * block.weight;
  site.populate_ns += call_ns * block.weight;
  FaultSum sum;
  sum.faults = static_cast<double>(faults);
  CellKey cell{block.site, kInCall, block.thread, state.phase(), Sighting::in_call};
  block.seen += sum;
  state.tally.cells[cell] += sum;
  state.slices.add(cell, state.now, state.now, sum);
  state.timeline.at(state.now).faults += sum;
}

}  // namespace ftprof
