// The PAGEMAP_SCAN ioctl of Linux 6.7, for building with older headers, and the bits of a
// /proc/self/pagemap entry.
#pragma once

#include <linux/ioctl.h>
#include <stdint.h>

namespace ftprof::pagemap {

struct Region {
  uint64_t start, end, categories;
};

struct Scan {
  uint64_t size, flags, start, end, walk_end;
  uint64_t regions, region_count, max_pages;
  uint64_t inverted, all_of, any_of, returned;
};

inline constexpr unsigned long kScan = _IOWR('f', 16, Scan);

enum Category : uint64_t {
  kFile = 1 << 2,
  kPresent = 1 << 3,
  kSwapped = 1 << 4,
  kZero = 1 << 5,
  kHuge = 1 << 6,
};

enum Entry : uint64_t {
  kEntryPresent = 1ULL << 63,
  kEntrySwapped = 1ULL << 62,
  kEntryFile = 1ULL << 61,
  kEntryExclusive = 1ULL << 56,
};

// Without the frame's number, which needs a privilege, the zero page is the page that is mapped and
// is neither a file's nor this process's alone. A page still shared with a fork's child looks the
// same; the scan knows better.
inline bool is_zero_page(uint64_t entry) {
  return (entry & kEntryPresent) != 0 && (entry & (kEntryFile | kEntryExclusive)) == 0;
}

}  // namespace ftprof::pagemap
