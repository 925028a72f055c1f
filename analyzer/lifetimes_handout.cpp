// The hand-out of a block: what its call faulted in, its class, and what its addresses were before.
#include <algorithm>
#include <cmath>

#include "analyzer/lifetimes.h"

namespace ftprof {

// Pages of the block that may have been faulted in by the call and were not recorded: the resident
// ones, and those at its ends that it shares, which no probe looks at.
uint64_t Lifetimes::unseen_pages(const LiveBlock& block, uint64_t resident,
                                 const Attribution::InCall& found) const {
  uint64_t all = all_pages(state_.page_bytes(), block.addr, block.end()).count;
  uint64_t ends = all - whole_pages(state_.page_bytes(), block.addr, block.end()).count;
  ends -= std::min(ends, found.located - found.located_whole);
  return resident - std::min(resident, found.located_whole) + ends;
}

// What the kernel counted in the call and no record shows was populated: at most what is resident.
void Lifetimes::in_call_faults(const trace::Block& event, uint32_t thread, LiveBlock& block) {
  Attribution::InCall found = attribution_.settle_call(thread, block, event.in_call_minor);
  block.in_call_whole = found.located_whole;
  if (event.api == trace::Api::inherited) return;
  bool populated = block.flags & trace::kPopulated;
  bool known = event.resident_pages != trace::kUnknownPages && event.probed_pages != 0;
  uint64_t unseen = event.in_call_minor;
  unseen -= std::min(unseen, found.located + (populated ? 0 : found.elsewhere));
  if (known)
    unseen = std::min(unseen, unseen_pages(block, event.resident_pages, found));
  else if (!populated && !state_.observation.complete_since(
                             block.born_ns - std::min<uint64_t>(block.born_ns, +event.call_ns)))
    unseen = 0;
  pay_populated(state_, block, unseen, populated ? event.call_ns : 0);
  if (known)
    unseen = std::min<uint64_t>(
        unseen,
        event.resident_pages - std::min<uint64_t>(+event.resident_pages, found.located_whole));
  block.in_call_whole += unseen;
}

void Lifetimes::hand_out(const trace::Block& event, LiveBlock& block) {
  SiteTally& site = state_.tally.sites[block.site];
  double w = block.weight;
  PageRange whole = whole_pages(state_.page_bytes(), block.addr, block.end());
  block.latest = probe_of(event.probed_pages, event.resident_pages);
  block.handout_known = block.latest.known() && block.latest.probed >= whole.count;
  if (block.latest.known())
    block.resident_at_handout = std::min<uint64_t>(
        whole.count, block.latest.probed >= whole.count
                         ? block.latest.resident
                         : static_cast<uint64_t>(double(block.latest.resident) *
                                                 double(whole.count) / block.latest.probed));
  block.most_resident = block.resident_at_handout;
  block.touched_at_handout = state_.pages.count(block.pages, whole.first, whole.count).touched;
  site.live_bytes += w * static_cast<double>(block.size);
  site.peak_live_bytes = std::max(site.peak_live_bytes, site.live_bytes);
  std::vector<PastPart> past = state_.history.take(block.addr, block.end());
  state_.map.born(block, all_pages(state_.page_bytes(), block.addr, block.end()).count);
  if (!hands_out(block)) return;
  site.count += w;
  ++site.recorded;
  ++state_.tally.askers[{block.site, block.thread}];
  site.bytes += w * static_cast<double>(event.size);
  site.handed_out += w * static_cast<double>(whole.count);
  site.alloc_ns += w * event.call_ns;
  classify(block, past);
}

void Lifetimes::classify(LiveBlock& block, std::vector<PastPart>& past) {
  SiteTally& site = state_.tally.sites[block.site];
  PageRange whole = whole_pages(state_.page_bytes(), block.addr, block.end());
  uint64_t before = block.resident_at_handout;
  before -= std::min(before, block.in_call_whole);
  // A call that faults in huge pages makes more pages resident than it takes faults.
  bool kept =
      std::any_of(past.begin(), past.end(), [](const PastPart& part) { return !part.past.gone; });
  if (block.flags & trace::kPopulated && !kept) before = 0;
  double share = whole.count ? static_cast<double>(before) / static_cast<double>(whole.count) : 0;
  bool known = block.latest.known();
  // Memory that the kernel took back cannot be resident again before it is touched.
  bool all_gone = !past.empty() && !kept;
  if (!known && all_gone) share = 0;
  count_class(block, site, share, known || all_gone, !past.empty());
  uint64_t warm = known ? before : 0;
  site.reuse.warm_pages += block.weight * static_cast<double>(warm);
  if (block.handout_known) find_late_purge(past, static_cast<double>(before));
  inherit_past(block, past, warm);
}

void Lifetimes::count_class(LiveBlock& block, SiteTally& site, double share, bool known,
                            bool had_block) {
  auto& bucket = state_.timeline.at(state_.now).handouts;
  auto count = [w = block.weight](double& of_site, double& of_time) { of_site += w, of_time += w; };
  block.handed_out = !known         ? HandOut::unknown
                     : share >= 0.9 ? HandOut::warm
                     : share > 0.1  ? HandOut::partial
                     : had_block    ? HandOut::cold
                                    : HandOut::fresh;
  if (!known) {
    site.reuse.unknown += block.weight;
  } else if (share >= 0.9) {
    count(site.reuse.warm, bucket.warm);
  } else if (share > 0.1) {
    count(site.reuse.partial, bucket.partial);
  } else if (had_block) {
    count(site.reuse.cold, bucket.cold);
  } else {
    count(site.reuse.fresh, bucket.fresh);
  }
}

// What the addresses were before: refaults to come, the feeding site, the thread and the time.
void Lifetimes::inherit_past(LiveBlock& block, const std::vector<PastPart>& past,
                             uint64_t warm_pages) {
  const PastPart* most = nullptr;
  for (const PastPart& part : past) {
    block.refault_credit += part.past.purged_pages;
    bool longer = !most || part.past.end - part.begin > most->past.end - most->begin;
    if (!part.past.gone && longer) most = &part;
  }
  pay_refaults(state_.tally.sites[block.site], block, static_cast<double>(block.in_call_whole));
  if (!past.empty()) note_idle();
  if (!most) return;
  uint64_t idle = state_.now > most->past.released_ns ? state_.now - most->past.released_ns : 0;
  block.previous_site = most->past.site;
  block.idle_ns = idle;
  if (warm_pages == 0) return;
  state_.tally.reuse_ns.add(static_cast<uint32_t>(std::min<uint64_t>(idle / 1000, 0xFFFFFFFF)));
  FeedTally& feed = state_.tally.feeds[{most->past.site, block.site}];
  feed.handouts += block.weight;
  feed.pages += block.weight * static_cast<double>(warm_pages);
  block.fed_by = most->past.site;
  if (most->past.thread != block.thread)
    state_.tally.sites[block.site].reuse.cross_thread += block.weight;
}

}  // namespace ftprof
