#include "analyzer/attribution.h"

#include <algorithm>

namespace ftprof {
namespace {

// How many faults of the part, from `from` on, touch addresses below `upto`.
uint32_t faults_below(const FaultPart& part, uint64_t page_bytes, uint32_t from, uint64_t upto) {
  uint64_t base = part.addr / page_bytes * page_bytes;
  if (upto <= base) return from + 1;
  uint64_t pages = (upto - base - 1) / page_bytes + 1;
  return static_cast<uint32_t>(std::clamp<uint64_t>(pages, from + 1, part.faults));
}

}  // namespace

void Attribution::faults(const FaultPiece& piece) {
  costs_.resize(piece.faults);
  for (uint32_t i = 0; i < piece.faults; ++i) costs_[i] = piece.cost_ns(i);
  FaultPart whole;
  whole.thread = state_.threads.of(piece.tid);
  whole.ip = state_.code.instruction(piece.ip);
  whole.phase = state_.phase();
  whole.addr = piece.addr;
  whole.faults = piece.faults;
  whole.period = piece.period;
  whole.gap = piece.gap;
  whole.major = piece.major;
  whole.read = piece.read;
  whole.begin_ns = piece.begin_ns;
  whole.end_ns = piece.end_ns;
  whole.costs = costs_.data();
  // Huge pages are as dear as a lost CPU: where there may be some, nothing tells them apart.
  if (!state_.tally.may_be_huge) whole.stand_in_most_ns = state_.usual_cost.most_ns();
  for (uint32_t cost : costs_)
    if (cost != trace::kNotTimed32) state_.usual_cost.saw(cost);
  add_to_timeline(whole);

  const uint64_t page = state_.page_bytes();
  for (uint32_t from = 0; from < whole.faults;) {
    uint64_t addr = address_of(whole, page, from);
    LiveBlocks::Found found = state_.blocks.find(addr);
    // A run that goes on into a block's first page, which the block does not begin at.
    if (found.block == kNoBlock && from != 0)
      found.block = state_.blocks.beginning_in(addr, addr + page);
    uint32_t to = faults_below(whole, page, from, found.upto);
    FaultPart part = slice(whole, page, from, to);
    if (found.block != kNoBlock)
      pay_block(state_, state_.blocks[found.block], part, false);
    else
      hold(part);
    from = to;
  }
}

// The gap's faults at their own time.
void Attribution::add_to_timeline(const FaultPart& part) {
  FaultSum sum = sum_of(part);
  double own = part.period / part.weight();
  if (part.gap.faults() > 0)
    state_.timeline.add_faults(part.gap.from_ns, part.gap.to_ns, sum.share(1 - own));
  else
    own = 1;
  FaultSum seen = sum.share(own);
  state_.timeline.add_faults(part.begin_ns, part.end_ns, seen);
}

void Attribution::hold(const FaultPart& part) {
  OpenThread& open = state_.threads.open(part.thread);
  if (open.held.size() >= kMostHeld) settle_thread(part.thread);
  if (part.major) return unowned(part, false);
  open.held.push_back({part.ip, part.phase, part.addr, part.faults, part.period, part.gap,
                       part.read, part.begin_ns, part.end_ns, part.stand_in_most_ns,
                       open.costs.size()});
  open.costs.insert(open.costs.end(), part.costs, part.costs + part.faults);
}

FaultPart Attribution::part_of(const HeldFaults& held, const OpenThread& open,
                               uint32_t thread) const {
  FaultPart part;
  part.thread = thread;
  part.ip = held.ip;
  part.phase = held.phase;
  part.addr = held.addr;
  part.faults = held.faults;
  part.period = held.period;
  part.gap = held.gap;
  part.read = held.read;
  part.begin_ns = held.begin_ns;
  part.end_ns = held.end_ns;
  part.costs = open.costs.data() + held.costs;
  part.stand_in_most_ns = held.stand_in_most_ns;
  return part;
}

void Attribution::settle_thread(uint32_t thread) {
  settle_rest(thread, 0, false);
}

namespace {

uint64_t common(PageRange a, PageRange b) {
  uint64_t low = std::max(a.first, b.first), high = std::min(a.first + a.count, b.first + b.count);
  return high > low ? high - low : 0;
}

}  // namespace

// The clock cannot tell: between the call and the event lies the library's own work. The number of
// faults in the call can: the thread's latest ones on the block's pages, as many as there were.
Attribution::InCall Attribution::settle_call(uint32_t thread, LiveBlock& block, uint64_t faults) {
  InCall found;
  OpenThread& open = state_.threads.open(thread);
  const uint64_t page = state_.page_bytes();
  PageRange pages = all_pages(page, block.addr, block.end());
  PageRange whole = whole_pages(page, block.addr, block.end());
  uint64_t left = faults;
  for (size_t i = open.held.size(); i-- > 0;) {
    FaultPart part = part_of(open.held[i], open, thread);
    PageRange touched{state_.page_of(part.addr), part.faults};
    uint64_t on_block = std::min(left, common(touched, pages));
    if (on_block == 0) continue;
    uint64_t behind = std::min(pages.first + pages.count, touched.first + touched.count);
    auto to = static_cast<uint32_t>(behind - touched.first);
    auto from = to - static_cast<uint32_t>(on_block);
    if (from > 0) unowned(slice(part, page, 0, from), false);
    pay_block(state_, block, slice(part, page, from, to), true);
    if (to < part.faults) unowned(slice(part, page, to, part.faults), false);
    found.located += on_block;
    found.located_whole += common({touched.first + from, on_block}, whole);
    left -= on_block;
    open.held[i].faults = 0;
  }
  found.elsewhere = settle_rest(thread, left, !is_mapping(block.api));
  return found;
}

// What waited and is not the block's; the latest `in_call` of them happened in the call too.
uint64_t Attribution::settle_rest(uint32_t thread, uint64_t in_call, bool by_allocator) {
  uint64_t taken = 0;
  OpenThread& open = state_.threads.open(thread);
  for (size_t i = open.held.size(); i-- > 0;) {
    const HeldFaults& held = open.held[i];
    if (held.faults == 0) continue;
    bool inside = taken + held.faults <= in_call;
    unowned(part_of(held, open, thread), inside && by_allocator);
    if (inside) taken += held.faults;
  }
  open.held.clear();
  open.costs.clear();
  return taken;
}

void Attribution::unowned(const FaultPart& part, bool by_allocator) {
  Unowned each{part.addr,    sum_of(part), {0, part.ip, part.thread, part.phase},
               by_allocator, part.gap,     part.begin_ns,
               part.end_ns};
  if (book(each, false)) return;
  if (unowned_.size() >= kMostUnowned) settle_unowned();
  unowned_.push_back(each);
}

std::optional<MappingOwner> Attribution::owner_of(const Unowned& unowned, bool last_chance) {
  auto named = [&](Owner owner, const char* name) {
    return MappingOwner{owner, state_.mappings.name_index(name)};
  };
  if (state_.threads.open(unowned.cell.thread).profiler) return named(Owner::profiler, "ftprof");
  uint32_t module = state_.code.module_at(unowned.addr);
  if (module != CodeTable::kNone)
    return MappingOwner{Owner::file, state_.mappings.name_index(state_.tally.modules[module].path)};
  Past* past = state_.history.find(unowned.addr);
  if (past && past->from_malloc && !past->gone) return named(Owner::small_heap, "allocator");
  auto found = state_.mappings.find(unowned.addr);
  bool unclear = !found || found->owner == Owner::other_anonymous;
  if (unowned.by_allocator && unclear && (found || last_chance || state_.mappings.has_pass()))
    return named(Owner::small_heap, "allocator");
  if (found || !last_chance) return found;
  return named(Owner::unattributed, "gone before it was listed");
}

bool Attribution::book(const Unowned& unowned, bool last_chance) {
  auto owner = owner_of(unowned, last_chance);
  if (!owner) return false;
  CellKey cell = unowned.cell;
  cell.payer = payer(owner->owner);
  pay_owner(state_, owner->owner, owner->name, unowned.sum, cell, unowned.gap, unowned.begin_ns,
            unowned.end_ns);
  return true;
}

void Attribution::settle_unowned() {
  for (const Unowned& each : unowned_) book(each, true);
  unowned_.clear();
}

void Attribution::finish() {
  for (uint32_t thread = 0; thread < state_.threads.size(); ++thread) settle_thread(thread);
  settle_unowned();
}

}  // namespace ftprof
