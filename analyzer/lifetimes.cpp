#include "analyzer/lifetimes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analyzer/settle.h"

namespace ftprof {

void Lifetimes::stack(uint32_t id, uint32_t index) {
  stack_index_[id] = index + 1;
}

uint32_t Lifetimes::site_of(uint32_t stack_id, trace::Api api) {
  uint64_t key = stack_id ? stack_id : (uint64_t{1} << 32) + static_cast<uint64_t>(api);
  uint32_t& number = site_index_[key];
  if (number == 0) {
    SiteTally site;
    uint32_t* stack = stack_index_.find(stack_id);
    site.stack = stack ? *stack - 1 : kNoSite;
    site.api = api;
    site.mapping = is_mapping(api);
    state_.tally.sites.push_back(std::move(site));
    number = static_cast<uint32_t>(state_.tally.sites.size());
  }
  return number - 1;
}

void Lifetimes::block(const trace::Block& event) {
  uint32_t thread = state_.threads.of(event.tid);
  if (event.flags & trace::kReinstated && reinstate(event, thread)) return;
  uint32_t old = displaced_end(thread, event);
  uint32_t number = begin_block(event, thread, old);
  if (state_.threads.open(thread).ending.block != kNoBlock) finish_ending(thread);
  LiveBlock& block = state_.blocks[number];
  in_call_faults(event, thread, block);
  hand_out(event, block);
}

// The call that was to give the block back failed: it goes on as if it had not been made.
bool Lifetimes::reinstate(const trace::Block& event, uint32_t thread) {
  attribution_.settle_thread(thread);
  Ending& ending = state_.threads.open(thread).ending;
  if (ending.block == kNoBlock || state_.blocks[ending.block].addr != event.addr) return false;
  LiveBlock& block = state_.blocks[ending.block];
  state_.history.take(block.addr, block.end());
  state_.tally.sites[block.site].live_bytes += block.weight * static_cast<double>(block.size);
  state_.blocks.put_back(ending.block);
  ending = {};
  return true;
}

// The block whose pages the new one takes over (kNoBlock: none), taken out of the live ones. Any
// other that the new one overlaps in its layer ended without a record.
uint32_t Lifetimes::displaced_end(uint32_t thread, const trace::Block& event) {
  uint32_t old = kNoBlock;
  if (event.flags & trace::kMovedFromOld && event.moved_from) {
    Ending& ending = state_.threads.open(thread).ending;
    if (ending.block != kNoBlock && state_.blocks[ending.block].addr == event.moved_from) {
      old = ending.block;
      ending = {};
    } else if ((old = state_.blocks.at(event.moved_from)) != kNoBlock) {
      LiveBlock& block = state_.blocks[old];
      state_.blocks.take_out(old);
      state_.tally.sites[block.site].live_bytes -= block.weight * static_cast<double>(block.size);
      remember(block, block.addr, block.end());
    }
  }
  LiveBlock place;
  place.addr = event.addr;
  place.size = saturated_end(event.addr, event.size) - event.addr;
  place.api = event.api;
  for (uint32_t each : state_.blocks.displaced_by(place)) {
    if (event.api == trace::Api::inherited) continue;
    state_.blocks.take_out(each);
    LiveBlock& block = state_.blocks[each];
    state_.tally.sites[block.site].live_bytes -= block.weight * static_cast<double>(block.size);
    end_block(each, block.latest);
  }
  return old;
}

uint32_t Lifetimes::begin_block(const trace::Block& event, uint32_t thread, uint32_t moved_from) {
  LiveBlock block;
  block.addr = event.addr;
  block.size = saturated_end(event.addr, event.size) - event.addr;
  // The rest of a mapping's last page is the mapping's too.
  if (is_mapping(event.api) && block.size)
    block.size = std::max(block.size, (block.end() + state_.page_bytes() - 1) /
                                              state_.page_bytes() * state_.page_bytes() -
                                          block.addr);
  block.born_ns = state_.now;
  block.site = site_of(event.stack, event.api);
  block.thread = thread;
  block.api = event.api;
  block.flags = event.flags;
  block.weight =
      std::isfinite(event.weight) && event.weight >= 1 && event.weight < 1e9 ? event.weight : 1;
  uint32_t number = state_.blocks.add(block);
  state_.blocks.for_each_around(state_.blocks[number],
                                [](LiveBlock& outer) { outer.holds_blocks = true; });
  if (moved_from != kNoBlock) end_block(moved_from, state_.blocks[moved_from].latest, number);
  return number;
}

void Lifetimes::release(const trace::Release& event) {
  uint32_t thread = state_.threads.of(event.tid);
  attribution_.settle_thread(thread);
  finish_ending(thread);
  uint32_t number = state_.blocks.at(event.addr);
  if (number == kNoBlock) return;
  LiveBlock& block = state_.blocks[number];
  state_.blocks.take_out(number);
  SiteTally& site = state_.tally.sites[block.site];
  site.live_bytes -= block.weight * static_cast<double>(block.size);
  Probe probe =
      probe_of(event.probed_pages, event.resident_pages, event.zero_pages, event.huge_pages);
  state_.threads.open(thread).ending = {number, state_.now, probe, event.api};
  block.latest = probe;
  remember(block, block.addr, block.end());
}

// Until Released says otherwise the addresses are kept and nothing in them is known to be resident.
void Lifetimes::remember(const LiveBlock& block, uint64_t begin, uint64_t end) {
  Past past;
  past.end = end;
  past.serial = block.serial;
  past.released_ns = state_.now;
  past.site = block.site;
  past.thread = block.thread;
  past.from_malloc = !is_mapping(block.api);
  past.weight = block.weight;
  state_.history.add(begin, past);
}

void Lifetimes::released(const trace::Released& event) {
  uint32_t thread = state_.threads.of(event.tid);
  Ending& ending = state_.threads.open(thread).ending;
  if (ending.block == kNoBlock || state_.blocks[ending.block].addr != event.addr) return;
  LiveBlock& block = state_.blocks[ending.block];
  SiteTally& site = state_.tally.sites[block.site];
  site.free_ns += block.weight * event.call_ns;
  bool known = event.resident_pages != trace::kUnknownPages && event.probed_pages != 0;
  double before = ending.probe.known() ? ending.probe.resident : 0;
  double kept = !event.still_mapped ? 0 : known ? event.resident_pages : before;
  bool by_allocator = !is_mapping(block.api);
  // What was offered to the kernel counts as given back, though it stays until it is needed.
  uint64_t serial = block.serial;
  double offered = 0;
  state_.history.change(block.addr, block.end(), [&](uint64_t, const Past& past) {
    if (past.serial == serial) offered += past.offered_pages;
  });
  kept = std::max(0.0, kept - offered);
  double purged = by_allocator ? std::max(0.0, before - kept) : 0;
  site.reuse.kept_resident_pages += block.weight * kept;
  site.reuse.purged_pages += block.weight * purged;
  auto length = static_cast<double>(std::max<uint64_t>(1, block.size));
  state_.history.change(block.addr, block.end(), [&](uint64_t begin, Past& past) {
    if (past.serial != serial) return;
    double share = static_cast<double>(past.end - begin) / length;
    past.gone = !event.still_mapped;
    past.idle_pages = kept * share;
    past.purged_pages = purged * share;
  });
  note_idle();
  if (ending.api != trace::Api::realloc && ending.api != trace::Api::mremap) finish_ending(thread);
}

void Lifetimes::finish_ending(uint32_t thread) {
  Ending ending = state_.threads.open(thread).ending;
  if (ending.block == kNoBlock) return;
  state_.threads.open(thread).ending = {};
  end_block(ending.block, ending.probe);
}

void Lifetimes::end_block(uint32_t number, const Probe& probe, uint32_t heir) {
  LiveBlock& block = state_.blocks[number];
  state_.map.gone(block, state_.now);
  if (heir == kNoBlock) place(block, probe);
  settle_block(state_, block, probe, state_.now);
  if (heir == kNoBlock) {
    state_.pages.release(block.pages);
  } else {
    LiveBlock& to = state_.blocks[heir];
    state_.pages.move(block.pages, to.pages, state_.page_of(to.addr) - state_.page_of(block.addr));
    to.moved_zero = probe.zero;
    to.blurred |= block.blurred;
  }
  state_.blocks.discard(number);
}

void Lifetimes::residency(const trace::Residency& event) {
  Probe probe =
      probe_of(event.probed_pages, event.resident_pages, event.zero_pages, event.huge_pages);
  if (!probe.known()) return;
  if (event.idle) return look_at_idle(event, probe);
  uint32_t number = state_.blocks.at(event.addr);
  if (number == kNoBlock) return;
  LiveBlock& block = state_.blocks[number];
  block.latest = probe;
  block.most_resident = std::max<uint64_t>(block.most_resident, probe.resident);
  look_at_zero_pages(state_, block, probe);
}

// At give-back the block has just left the live ones: it is the one that its thread is ending.
void Lifetimes::placement(const trace::Placement& event, const std::vector<uint32_t>& counts) {
  if (counts.empty()) return;
  bool given_back = event.at_release == static_cast<uint8_t>(trace::PlacementMoment::give_back);
  uint32_t number = state_.blocks.at(event.addr);
  if (given_back) number = state_.threads.open(state_.threads.of(event.tid)).ending.block;
  if (number == kNoBlock || state_.blocks[number].addr != event.addr) return;
  LiveBlock& block = state_.blocks[number];
  block.latest_nodes = counts;
  if (event.at_release == static_cast<uint8_t>(trace::PlacementMoment::hand_out))
    place_recycled(block, counts, event.cpu_node);
}

// A hand-out crosses nodes when another node than its new holder's has more of the pages.
void Lifetimes::place_recycled(const LiveBlock& block, const std::vector<uint32_t>& counts,
                               uint32_t node) {
  uint64_t sampled = std::accumulate(counts.begin(), counts.end(), uint64_t{0});
  uint64_t here = node < counts.size() ? counts[node] : 0;
  uint64_t most = *std::max_element(counts.begin(), counts.end());
  if (most <= here) return;
  state_.tally.sites[block.site].reuse.cross_node += block.weight;
  if (FeedTally* feed = state_.tally.feeds.find({block.fed_by, block.site}))
    feed->cross_node_pages += block.weight * static_cast<double>(block.resident_at_handout) *
                              static_cast<double>(sampled - here) / static_cast<double>(sampled);
}

// The block's pages by node, as it ends: the latest sample's shares of what is resident.
void Lifetimes::place(const LiveBlock& block, const Probe& probe) {
  const std::vector<uint32_t>& counts = block.latest_nodes;
  uint64_t sampled = std::accumulate(counts.begin(), counts.end(), uint64_t{0});
  if (sampled == 0) return;
  double resident = probe.known() ? probe.resident : static_cast<double>(sampled);
  SiteTally& site = state_.tally.sites[block.site];
  if (site.placement.size() < counts.size()) site.placement.resize(counts.size());
  for (size_t node = 0; node < counts.size(); ++node)
    site.placement[node] += block.weight * resident * counts[node] / static_cast<double>(sampled);
}

void Lifetimes::finish() {
  for (uint32_t thread = 0; thread < state_.threads.size(); ++thread) finish_ending(thread);
  std::vector<uint32_t> live;
  state_.blocks.for_each([&](uint32_t block) { live.push_back(block); });
  for (uint32_t number : live) {
    LiveBlock& block = state_.blocks[number];
    if (hands_out(block)) state_.tally.sites[block.site].live_at_end += block.weight;
    place(block, block.latest);
    settle_block(state_, block, block.latest, std::nullopt);
  }
}

}  // namespace ftprof
