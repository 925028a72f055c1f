#include "preload/residency.h"

#include <errno.h>

#include <atomic>

#include "preload/pagemap_abi.h"
#include "preload/state.h"
#include "preload/sys.h"

namespace ftprof {
namespace {

struct Range {
  uintptr_t begin, end;
  size_t pages() const { return (end - begin) >> g_state.page_shift; }
};

std::atomic<Sight> g_sight{Sight::untried};
std::atomic<bool> g_saw_huge{false};

Range whole_pages(uintptr_t address, size_t bytes) {
  uintptr_t mask = g_state.page_bytes - 1;
  uintptr_t begin = (address + mask) & ~mask, end = (address + bytes) & ~mask;
  return {begin, end > begin ? end : begin};
}

PageCounts nothing_of(size_t pages) {
  return {static_cast<uint32_t>(pages), 0, 0, 0, 0};
}

// Closes on leaving; -errno in `fd` when there is no pagemap.
struct PagemapFile {
  int fd = sys::open_at(AT_FDCWD, "/proc/self/pagemap", O_RDONLY);
  ~PagemapFile() {
    if (fd >= 0) sys::close(fd);
  }
};

void add_region(const pagemap::Region& region, PageCounts& counts) {
  auto pages = static_cast<uint32_t>((region.end - region.start) >> g_state.page_shift);
  if (region.categories & pagemap::kPresent) counts.resident += pages;
  if (region.categories & pagemap::kSwapped) counts.swapped += pages;
  if (region.categories & pagemap::kZero) counts.zero += pages;
  if ((region.categories & pagemap::kHuge) == 0) return;
  counts.huge += pages;
  g_saw_huge.store(true, std::memory_order_relaxed);
}

// Moves range.begin past what was looked at: the end, or where `most` pages were found (0: no
// limit).
bool scan(int fd, Range& range, PageCounts& counts, size_t most = 0) {
  constexpr size_t kRegions = 32;
  pagemap::Region regions[kRegions];
  size_t left = most;
  while (range.begin < range.end) {
    pagemap::Scan request = {};
    request.size = sizeof request;
    request.start = range.begin, request.end = range.end;
    request.regions = reinterpret_cast<uintptr_t>(regions), request.region_count = kRegions;
    request.max_pages = left;
    request.any_of = pagemap::kPresent | pagemap::kSwapped;
    request.returned = request.any_of | pagemap::kZero | pagemap::kHuge;
    long found = sys::ioctl(fd, pagemap::kScan, sys::as_long(&request));
    if (sys::failed(found) || request.walk_end <= range.begin) return false;
    for (long i = 0; i < found; ++i) {
      add_region(regions[i], counts);
      size_t pages = (regions[i].end - regions[i].start) >> g_state.page_shift;
      left = pages < left ? left - pages : 0;
    }
    range.begin = request.walk_end;
    if (most != 0 && left == 0) return true;
  }
  return true;
}

bool read_entries(int fd, Range range, PageCounts& counts) {
  constexpr size_t kEntries = 96;
  uint64_t entries[kEntries];
  for (size_t left = range.pages(), at = range.begin >> g_state.page_shift; left > 0;) {
    size_t wanted = left < kEntries ? left : kEntries;
    long got = sys::pread(fd, entries, wanted * sizeof *entries, at * sizeof *entries);
    if (got < static_cast<long>(sizeof *entries)) return false;
    size_t read = static_cast<size_t>(got) / sizeof *entries;
    for (size_t i = 0; i < read; ++i) {
      counts.resident += (entries[i] & pagemap::kEntryPresent) != 0;
      counts.swapped += (entries[i] & pagemap::kEntrySwapped) != 0;
      counts.zero += pagemap::is_zero_page(entries[i]);
    }
    left -= read, at += read;
  }
  return true;
}

uint32_t count_present(const unsigned char* vector, size_t pages) {
  uint32_t present = 0;
  for (size_t i = 0; i < pages; ++i) present += vector[i] & 1;
  return present;
}

// A hole in the range fails the whole call (ENOMEM): halved until the hole stands alone.
bool ask_mincore(Range range, PageCounts& counts) {
  constexpr size_t kPages = 768;
  unsigned char vector[kPages];
  for (size_t most = kPages; range.begin < range.end;) {
    size_t pages = range.pages() < most ? range.pages() : most;
    size_t bytes = pages << g_state.page_shift;
    long result = sys::mincore(reinterpret_cast<void*>(range.begin), bytes, vector);
    if (result == -ENOMEM && pages > 1) {
      most = pages / 2;
      continue;
    }
    if (sys::failed(result) && result != -ENOMEM) return false;
    if (result == 0) counts.resident += count_present(vector, pages);
    range.begin += bytes;
    most = most < kPages / 2 ? most * 2 : kPages;
  }
  return true;
}

// Calls count(part, counts) for the range, or for even windows of it when it is to be sampled.
template <class Count>
PageCounts over(Range range, Effort effort, Count count) {
  if (effort != Effort::sample || range.pages() <= kSampledPages) {
    PageCounts counts = nothing_of(range.pages());
    return count(range, counts) ? counts : PageCounts{};
  }
  constexpr size_t kWindows = 16, kWindowPages = kSampledPages / kWindows;
  PageCounts counts = nothing_of(kSampledPages);
  for (size_t i = 0; i < kWindows; ++i) {
    size_t first = (range.pages() - kWindowPages) * i / (kWindows - 1);
    uintptr_t begin = range.begin + (first << g_state.page_shift);
    if (!count(Range{begin, begin + (kWindowPages << g_state.page_shift)}, counts)) return {};
  }
  return counts;
}

bool known(const PageCounts& counts) {
  return counts.probed != trace::kUnknownPages;
}

PageCounts by_scan(int fd, Range range, Effort effort) {
  return over(range, effort,
              [fd](Range part, PageCounts& counts) { return scan(fd, part, counts); });
}

PageCounts by_pagemap(int fd, Range range, Effort effort) {
  auto read = [fd](Range part, PageCounts& counts) { return read_entries(fd, part, counts); };
  PageCounts counts = over(range, effort, read);
  counts.huge = trace::kUnknownPages;
  return counts;
}

// mincore looks at every page, the scan at those that are there: of a large range it may look at so
// many of these first that it costs no more. Reservations of gigabytes are mostly empty.
bool ask_sparsely(Range range, PageCounts& counts) {
  constexpr size_t kLarge = 32 * 1024, kDearness = 32;
  Sight sight = g_sight.load(std::memory_order_relaxed);
  if (range.pages() >= kLarge && (sight == Sight::scan || sight == Sight::untried)) {
    PagemapFile file;
    PageCounts found = nothing_of(0);
    Range rest = range;
    if (file.fd >= 0 && scan(file.fd, rest, found, range.pages() / kDearness)) {
      counts.resident += found.resident;
      range = rest;
    }
  }
  return ask_mincore(range, counts);
}

PageCounts by_mincore(Range range, Effort effort) {
  PageCounts counts = over(range, effort, ask_sparsely);
  counts.zero = counts.huge = counts.swapped = trace::kUnknownPages;
  return counts;
}

void remember(Sight sight) {
  g_sight.store(sight, std::memory_order_relaxed);
}

}  // namespace

Sight residency_sight() {
  return g_sight.load(std::memory_order_relaxed);
}
bool residency_saw_huge() {
  return g_saw_huge.load(std::memory_order_relaxed);
}
void limit_residency_sight(Sight sight) {
  remember(sight);
}

PageCounts count_pages(uintptr_t address, size_t bytes, Effort effort) {
  Range range = whole_pages(address, bytes);
  if (effort == Effort::none || range.pages() >= trace::kUnknownPages) return {};
  if (range.pages() == 0) return nothing_of(0);
  Sight sight = residency_sight();
  if (effort == Effort::presence || sight == Sight::presence) return by_mincore(range, effort);
  PagemapFile file;
  // No descriptor to be had right now is no reason to stop trying; no /proc, or no access, is.
  if (file.fd < 0) {
    if (file.fd != -EMFILE && file.fd != -ENFILE) remember(Sight::presence);
    return by_mincore(range, effort);
  }
  if (sight != Sight::pagemap) {
    PageCounts counts = by_scan(file.fd, range, effort);
    if (known(counts)) {
      if (sight == Sight::untried) remember(Sight::scan);
      return counts;
    }
  }
  PageCounts counts = by_pagemap(file.fd, range, effort);
  if (!known(counts)) return by_mincore(range, effort);
  if (sight == Sight::untried) remember(Sight::pagemap);
  return counts;
}

}  // namespace ftprof
