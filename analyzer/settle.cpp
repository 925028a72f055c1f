#include "analyzer/settle.h"

#include <algorithm>
#include <utility>

#include "analyzer/payments.h"

namespace ftprof {
namespace {

uint64_t less(uint64_t a, uint64_t b) {
  return a > b ? a - b : 0;
}

// A probe of a sample of the pages speaks for all of them.
uint64_t scaled(uint64_t pages, const Probe& probe, uint64_t whole) {
  if (!probe.known() || probe.probed >= whole) return std::min(pages, whole);
  return static_cast<uint64_t>(
      static_cast<double>(pages) * static_cast<double>(whole) / probe.probed + 0.5);
}

uint32_t huge_ratio(const ImageState& state) {
  const trace::Process& process = state.tally.process;
  return std::max<uint32_t>(1, process.huge_page_bytes / process.page_bytes);
}

struct Found {
  PageRange whole;
  PageCounts counts;
  bool known = false, full = false;  // looked up at all; every page looked up
  uint64_t resident = 0, zero = 0, huge = 0, huge_ranges = 0;
};

Found find(const ImageState& state, const LiveBlock& block, const Probe& probe) {
  Found found;
  found.whole = whole_pages(state.page_bytes(), block.addr, block.end());
  found.counts = state.pages.count(block.pages, found.whole.first, found.whole.count);
  found.known = probe.known();
  if (!found.known) return found;
  found.full = probe.probed >= found.whole.count;
  found.resident = scaled(probe.resident, probe, found.whole.count);
  found.zero = scaled(probe.zero, probe, found.whole.count);
  found.huge = scaled(probe.huge, probe, found.whole.count);
  uint32_t ratio = huge_ratio(state);
  found.huge_ranges = found.huge / ratio;
  return found;
}

struct Kinds {
  uint64_t write = 0, zero_read = 0, again = 0, huge = 0, other = 0, kernel_copy = 0;
};

// Pages that became resident since the hand-out without a fault of ours.
uint64_t kernel_copies(const LiveBlock& block, const Found& found) {
  if (!found.full || !block.handout_known || block.blurred || block.holds_blocks) return 0;
  uint64_t ours = less(found.counts.touched, block.touched_at_handout);
  if (found.huge) ours = less(ours, found.huge_ranges);
  uint64_t expected = block.resident_at_handout + block.populated_later + ours;
  return less(less(found.resident, found.huge), expected);
}

Kinds kinds_as_recorded(const LiveBlock& block, const Found& found) {
  Kinds kinds;
  kinds.again = block.again;
  kinds.other = block.more;
  // A second fault on a page that came along was no first one of this block's.
  uint64_t again_on_own = less(block.again, block.moved_zero);
  uint64_t singles = less(block.first, again_on_own);
  uint64_t zero_now =
      std::min(less(found.zero, less(block.moved_zero, block.again)), found.counts.once);
  uint64_t zero_singles = std::min(block.zero_singles + zero_now, singles);
  singles -= zero_singles;
  kinds.huge = std::min({found.counts.lone_chunks, found.huge_ranges, singles});
  kinds.zero_read = again_on_own + zero_singles;
  kinds.write = singles - kinds.huge;
  if (block.api == trace::Api::inherited) {  // copied on write after a fork
    kinds.other += std::exchange(kinds.write, 0);
  }
  kinds.kernel_copy = block.kernel_copies + kernel_copies(block, found);
  return kinds;
}

// Where not every fault was seen: by what became resident. A second fault on a page is not visible
// then, but for the ones that were recorded.
Kinds kinds_by_pages(const LiveBlock& block, const Found& found, uint32_t huge_ratio) {
  Kinds kinds;
  uint64_t fresh =
      less(found.resident + block.purged, block.resident_at_handout + block.populated_later);
  if (!found.known || block.holds_blocks) fresh = std::max(block.purged, block.first);
  fresh = std::max(fresh, block.first);
  uint64_t huge_pages = std::min(found.huge, fresh);
  kinds.huge = huge_pages / huge_ratio;
  kinds.again = block.again;
  uint64_t singles = fresh - huge_pages;
  kinds.zero_read = std::min(singles, found.zero + block.zero_singles + block.again);
  kinds.write = singles - kinds.zero_read;
  kinds.other = block.more;
  return kinds;
}

uint64_t faults_of(const LiveBlock& block, const Kinds& kinds) {
  return block.in_call_located + block.in_call_populated + block.major + kinds.write +
         kinds.zero_read + kinds.again + kinds.huge + kinds.other;
}

uint64_t touched_pages(const LiveBlock& block, const Found& found) {
  return std::max({found.resident, found.counts.ever, block.most_resident});
}

void book_kinds(SiteTally& site, const LiveBlock& block, const Kinds& kinds) {
  double w = block.weight;
  auto in_call = static_cast<double>(block.in_call_located + block.in_call_populated);
  site.write += w * static_cast<double>(kinds.write);
  site.zero_read += w * static_cast<double>(kinds.zero_read);
  site.write_after_zero_read += w * static_cast<double>(kinds.again);
  site.huge_faults += w * static_cast<double>(kinds.huge);
  site.other += w * static_cast<double>(kinds.other);
  site.kernel_copy += w * static_cast<double>(kinds.kernel_copy);
  site.in_call += w * in_call;
  site.major += w * static_cast<double>(block.major);
  site.own_faults += static_cast<double>(faults_of(block, kinds));
}

void book_pages(SiteTally& site, const LiveBlock& block, const Found& found, uint32_t huge_ratio) {
  double w = block.weight;
  uint64_t touched = touched_pages(block, found);
  site.touched += w * static_cast<double>(std::min(touched, found.whole.count));
  site.zero += w * static_cast<double>(found.zero);
  site.huge += w * static_cast<double>(found.huge);
  uint64_t full = found.counts.full_chunks * PageSets::kChunkPages / huge_ratio;
  if (found.known && found.huge == 0 && found.resident == found.whole.count) {
    uint64_t first = (found.whole.first + huge_ratio - 1) / huge_ratio;
    full = std::max(full, less((found.whole.first + found.whole.count) / huge_ratio, first));
  }
  site.could_be_huge += w * static_cast<double>(full * huge_ratio);
}

void book_life(ImageState& state, const LiveBlock& block, const Found& found, const Kinds& kinds,
               std::optional<uint64_t> gone_ns) {
  if (!state.lives.wants(block.size)) return state.lives.leave_out();
  LifeTally life;
  life.site = block.site;
  life.thread = block.thread;
  life.previous_site = block.previous_site;
  life.bytes = block.size;
  life.pages = found.whole.count;
  life.touched = std::min(touched_pages(block, found), found.whole.count);
  life.faults = faults_of(block, kinds);
  life.seen = block.seen;
  life.born_ns = block.born_ns;
  life.gone_ns = gone_ns;
  life.idle_ns = block.idle_ns;
  if (block.handout_known) life.resident_at_handout = block.resident_at_handout;
  life.handed_out = block.handed_out;
  life.weight = block.weight;
  state.lives.add(std::move(life));
}

// Where not every fault is seen: pages that became resident since the last purge, or the hand-out,
// without a record, and that had been given back before.
void refault_unseen(SiteTally& site, LiveBlock& block, uint64_t resident) {
  uint64_t recorded = block.first - block.first_at_purge;
  uint64_t unseen =
      less(less(resident, block.resident_at_handout + block.populated_later), recorded);
  pay_refaults(site, block, static_cast<double>(unseen));
}

}  // namespace

void settle_block(ImageState& state, LiveBlock& block, const Probe& probe,
                  std::optional<uint64_t> gone_ns) {
  SiteTally& site = state.tally.sites[block.site];
  if (site.end_ns == 0 || block.born_ns < site.begin_ns) site.begin_ns = block.born_ns;
  site.end_ns = std::max(site.end_ns, gone_ns.value_or(state.tally.last_ns));
  Found found = find(state, block, probe);
  uint32_t ratio = huge_ratio(state);
  bool exact = state.observation.complete_since(block.born_ns);
  Kinds kinds = exact ? kinds_as_recorded(block, found) : kinds_by_pages(block, found, ratio);
  if (!exact) {
    if (found.known) refault_unseen(site, block, found.resident);
    look_at_zero_pages(state, block, probe);
    site.zero_lost += block.weight * static_cast<double>(block.zero_lost);
    site.again_stands += block.weight * block.again_stands;
  }
  book_kinds(site, block, kinds);
  if (block.api == trace::Api::inherited) return;
  book_pages(site, block, found, ratio);
  book_life(state, block, found, kinds, gone_ns);
}

void look_at_zero_pages(ImageState& state, LiveBlock& block, const Probe& probe) {
  if (!probe.known() || !probe.zero_known) return;
  state.tally.zero_pages_known = true;
  uint64_t whole = whole_pages(state.page_bytes(), block.addr, block.end()).count;
  uint64_t zero = scaled(probe.zero, probe, whole);
  block.zero_lost += less(block.zero_standing, zero);
  block.zero_standing = zero;
}

void purge_pages(ImageState& state, LiveBlock& block, PageRange range, const Probe& probe,
                 bool lazily) {
  PageCounts counts = state.pages.count(block.pages, range.first, range.count);
  PageRange whole = whole_pages(state.page_bytes(), block.addr, block.end());
  bool all = range.first <= whole.first && range.first + range.count >= whole.first + whole.count;
  uint64_t resident = probe.known() ? scaled(probe.resident, probe, range.count) : counts.touched;
  block.zero_singles +=
      probe.known() ? std::min<uint64_t>(scaled(probe.zero, probe, range.count), counts.once) : 0;
  block.most_resident = std::max(block.most_resident, resident);
  block.zero_standing =
      less(block.zero_standing, probe.known() ? scaled(probe.zero, probe, range.count) : 0);
  SiteTally& site = state.tally.sites[block.site];
  if (probe.known() && !state.observation.complete_since(block.born_ns))
    refault_unseen(site, block, resident);
  block.first_at_purge = block.first;
  if (all && !lazily) {
    Found found = find(state, block, probe);
    block.kernel_copies += kernel_copies(block, found);
  } else {
    block.blurred = true;
  }
  state.pages.purge(block.pages, range.first, range.count);
  block.purged += resident;
  block.refault_credit += static_cast<double>(resident);
  if (all && !lazily) {
    // From here the block is as one handed out with nothing resident; `purged` keeps the sum.
    block.purged -= std::min(block.purged, block.resident_at_handout + block.populated_later);
    block.resident_at_handout = block.touched_at_handout = block.populated_later = 0;
  }
  site.reuse.purged_pages += block.weight * static_cast<double>(resident);
}

}  // namespace ftprof
