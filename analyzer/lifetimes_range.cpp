// What happens to ranges of addresses: unmapped in part, given back by madvise, populated.
#include <sys/mman.h>

#include <algorithm>

#include "analyzer/lifetimes.h"
#include "analyzer/settle.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24
#endif

namespace ftprof {
namespace {

Probe probe_of(const trace::RangeOp& event) {
  auto known = [](uint32_t pages) { return pages == trace::kUnknownPages ? 0 : pages; };
  return {event.probed_pages, event.resident_pages, known(event.zero_pages),
          known(event.huge_pages)};
}

// The probe of a larger range speaks for a part of it in proportion.
Probe share_of(const Probe& probe, uint64_t part, uint64_t all) {
  if (!probe.known() || part >= all) return probe;
  auto cut = [&](uint32_t pages) {
    return static_cast<uint32_t>(static_cast<double>(pages) * static_cast<double>(part) /
                                 static_cast<double>(all));
  };
  return {std::max(1u, cut(probe.probed)), cut(probe.resident), cut(probe.zero), cut(probe.huge)};
}

uint64_t end_of(const trace::RangeOp& event) {
  uint64_t end = event.addr + event.size;
  return end < event.addr ? ~uint64_t{0} / 2 : end;
}

}  // namespace

void Lifetimes::range(const trace::RangeOp& event) {
  if (event.size == 0) return;
  switch (event.kind) {
    case trace::RangeKind::map:
      unmap(event);
      return claim(event);
    case trace::RangeKind::unmap:
    case trace::RangeKind::replace:
      return unmap(event);
    case trace::RangeKind::advise:
      return advise(event);
    case trace::RangeKind::protect:
      return;
  }
}

void Lifetimes::claim(const trace::RangeOp& event) {
  uint64_t begin = event.addr, end = end_of(event);
  switch (event.by) {
    case trace::Caller::allocator:
      return state_.mappings.claim(begin, end, Owner::small_heap);
    case trace::Caller::profiler:
      return state_.mappings.claim(begin, end, Owner::profiler);
    case trace::Caller::program:
      bool file = event.detail & trace::kFileMapping;
      return state_.mappings.claim_small(begin, end, file ? Owner::file : Owner::other_anonymous);
  }
}

void Lifetimes::unmap(const trace::RangeOp& event) {
  uint64_t begin = event.addr, end = end_of(event);
  state_.mappings.unclaim(begin, end);
  for (uint32_t block : state_.blocks.overlapping(begin, end)) cut_block(block, begin, end, event);
  bool by_allocator = event.by == trace::Caller::allocator;
  state_.history.change(begin, end, [&](uint64_t, Past& past) {
    if (by_allocator && !past.gone) purge_idle(past, past.idle_pages);
    past.gone = true;
    past.idle_pages = 0;
  });
  note_idle();
}

// Takes [begin, end) out of the block: it ends, shrinks, or goes on in two pieces.
void Lifetimes::cut_block(uint32_t number, uint64_t begin, uint64_t end,
                          const trace::RangeOp& event) {
  LiveBlock block = state_.blocks[number];
  SiteTally& site = state_.tally.sites[block.site];
  uint64_t low = std::max(begin, block.addr), high = std::min(end, block.end());
  state_.blocks.take_out(number);
  site.live_bytes -= block.weight * static_cast<double>(high - low);
  Probe probe = probe_of(event);
  if (low == block.addr && high == block.end()) {
    remember(block, low, high);
    end_block(number, end - begin == block.size ? probe : block.latest);
    return;
  }
  PageRange cut = whole_pages(state_.page_bytes(), low, high);
  uint64_t all = whole_pages(state_.page_bytes(), begin, end).count;
  LiveBlock& rest = state_.blocks[number];
  rest.blurred = true;
  rest.most_resident =
      std::max<uint64_t>(rest.most_resident, share_of(probe, cut.count, all).resident);
  if (low > block.addr && high < block.end()) {
    LiveBlock upper;
    upper.addr = high;
    upper.size = block.end() - high;
    upper.born_ns = block.born_ns;
    upper.site = block.site;
    upper.thread = block.thread;
    upper.api = block.api;
    upper.weight = block.weight;
    upper.continued = upper.blurred = true;
    state_.blocks.add(upper);
  }
  LiveBlock& kept = state_.blocks[number];
  if (low > block.addr) {
    kept.size = low - block.addr;
  } else {
    kept.addr = high;
    kept.size = block.end() - high;
  }
  state_.blocks.put_back(number);
  remember(block, low, high);
}

void Lifetimes::purge(const trace::RangeOp& event, bool lazily) {
  uint64_t begin = event.addr, end = end_of(event);
  PageRange range = whole_pages(state_.page_bytes(), begin, end);
  Probe probe = probe_of(event);
  for (uint32_t number : state_.blocks.overlapping(begin, end)) {
    LiveBlock& block = state_.blocks[number];
    PageRange part =
        whole_pages(state_.page_bytes(), std::max(begin, block.addr), std::min(end, block.end()));
    purge_pages(state_, block, part, share_of(probe, part.count, range.count), lazily);
  }
  state_.history.change(begin, end, [&](uint64_t at, Past& past) {
    if (past.gone) return;
    uint64_t part = whole_pages(state_.page_bytes(), at, past.end).count;
    if (lazily && past.idle_pages == 0)
      past.offered_pages = probe.known() ? share_of(probe, part, range.count).resident : 0;
    purge_idle(past, past.idle_pages);
  });
  note_idle();
}

void Lifetimes::populate(const trace::RangeOp& event) {
  uint64_t begin = event.addr, end = end_of(event);
  std::vector<uint32_t> blocks = state_.blocks.overlapping(begin, end);
  if (blocks.empty() || event.minor == 0) return;
  LiveBlock& block = state_.blocks[blocks.front()];
  pay_populated(state_, block, event.minor, event.call_ns);
  uint64_t pages = whole_pages(state_.page_bytes(), begin, end).count;
  if (event.resident_pages == trace::kUnknownPages || event.probed_pages < pages) {
    block.blurred = true;
    return;
  }
  block.populated_later += pages - std::min<uint64_t>(pages, +event.resident_pages);
}

void Lifetimes::advise(const trace::RangeOp& event) {
  switch (event.detail) {
    case MADV_DONTNEED:
    case MADV_DONTNEED_LOCKED:
    case MADV_REMOVE:
      return purge(event, false);
    case MADV_FREE:
      return purge(event, true);
    case MADV_POPULATE_READ:
    case MADV_POPULATE_WRITE:
      return populate(event);
    case MADV_HUGEPAGE:
      state_.tally.huge_advised = state_.tally.may_be_huge = true;
      return;
  }
}

}  // namespace ftprof
