#include "preload/zero_pages.h"

#include "preload/pagemap_abi.h"
#include "preload/state.h"
#include "preload/sys.h"

namespace ftprof {

bool ZeroPages::begin() {
  fd_ = sys::open_at(AT_FDCWD, "/proc/self/pagemap", O_RDONLY);
  ZeroRange range;
  if (can_tell() && sys::failed(scan(reinterpret_cast<uintptr_t>(&range), 1, &range, 1))) end();
  return can_tell();
}

void ZeroPages::end() {
  if (fd_ >= 0) sys::close(fd_);
  fd_ = -1;
}

size_t ZeroPages::find(uint64_t address, size_t pages, ZeroRange* ranges, size_t most) const {
  long found = scan(address, pages, ranges, most);
  return sys::failed(found) ? 0 : static_cast<size_t>(found);
}

long ZeroPages::scan(uint64_t address, size_t pages, ZeroRange* ranges, size_t most) const {
  constexpr size_t kRegions = 16;
  pagemap::Region regions[kRegions];
  pagemap::Scan request = {};
  request.size = sizeof request;
  request.start = address & ~static_cast<uint64_t>(g_state.page_bytes - 1);
  request.end = request.start + (pages << g_state.page_shift);
  request.regions = reinterpret_cast<uintptr_t>(regions);
  request.region_count = most < kRegions ? most : kRegions;
  request.all_of = pagemap::kPresent | pagemap::kZero;
  request.returned = pagemap::kZero;
  long found = sys::ioctl(fd_, pagemap::kScan, sys::as_long(&request));
  for (long i = 0; i < found; ++i)
    ranges[i] = {regions[i].start,
                 static_cast<uint32_t>((regions[i].end - regions[i].start) >> g_state.page_shift)};
  return found;
}

}  // namespace ftprof
