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
  whole.burst = piece.burst;
  whole.major = piece.major;
  whole.begin_ns = piece.begin_ns;
  whole.end_ns = piece.end_ns;
  whole.costs = costs_.data();
  FaultSum sum = sum_of(whole);
  state_.timeline.add_faults(piece.begin_ns, piece.end_ns, sum);
  state_.tally.phases.back().faults += sum;

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

void Attribution::hold(const FaultPart& part) {
  OpenThread& open = state_.threads.open(part.thread);
  if (open.held.size() >= kMostHeld) settle_thread(part.thread);
  if (part.major) return unowned(part, false);
  open.held.push_back({part.ip, part.phase, part.addr, part.faults, part.period, part.burst,
                       part.begin_ns, part.end_ns, open.costs.size()});
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
  part.burst = held.burst;
  part.begin_ns = held.begin_ns;
  part.end_ns = held.end_ns;
  part.costs = open.costs.data() + held.costs;
  return part;
}

void Attribution::settle_thread(uint32_t thread) {
  OpenThread& open = state_.threads.open(thread);
  for (const HeldFaults& held : open.held) unowned(part_of(held, open, thread), false);
  open.held.clear();
  open.costs.clear();
}

Attribution::InCall Attribution::settle_call(uint32_t thread, LiveBlock& block, uint64_t begin_ns) {
  InCall found;
  OpenThread& open = state_.threads.open(thread);
  const uint64_t page = state_.page_bytes();
  PageRange pages = all_pages(page, block.addr, block.end());
  PageRange whole = whole_pages(page, block.addr, block.end());
  auto common = [](uint64_t first, uint64_t count, PageRange range) {
    uint64_t low = std::max(first, range.first),
             high = std::min(first + count, range.first + range.count);
    return high > low ? high - low : 0;
  };
  for (const HeldFaults& held : open.held) {
    FaultPart part = part_of(held, open, thread);
    if (held.begin_ns < begin_ns) {
      unowned(part, false);
      continue;
    }
    uint64_t first = state_.page_of(part.addr);
    auto from = static_cast<uint32_t>(
        std::clamp<uint64_t>(pages.first, first, first + part.faults) - first);
    auto to = static_cast<uint32_t>(from + common(first, part.faults, pages));
    if (from > 0) unowned(slice(part, page, 0, from), !is_mapping(block.api));
    if (to > from) pay_block(state_, block, slice(part, page, from, to), true);
    if (to < part.faults) unowned(slice(part, page, to, part.faults), !is_mapping(block.api));
    found.located += to - from;
    found.located_whole += common(first, part.faults, whole);
    found.elsewhere += part.faults - (to - from);
  }
  open.held.clear();
  open.costs.clear();
  return found;
}

void Attribution::unowned(const FaultPart& part, bool by_allocator) {
  Unowned each{part.addr,    sum_of(part),  {0, part.ip, part.thread, part.phase},
               by_allocator, part.begin_ns, part.end_ns};
  if (part.major) each.sum.full = each.sum.burst = 0;
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
  pay_owner(state_, owner->owner, owner->name, unowned.sum, cell, unowned.begin_ns, unowned.end_ns);
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
