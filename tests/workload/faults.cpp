#include "tests/workload/faults.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "tests/workload/machine.h"

namespace ftprof::workload {
namespace {

uint64_t faults_of(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return static_cast<uint64_t>(usage.ru_minflt + usage.ru_majflt);
}

// linux/fs.h of kernel 6.7; older headers lack it.
struct PageRegion {
  uint64_t start, end, categories;
};
struct PagemapScan {
  uint64_t size, flags, start, end, walk_end, regions, region_count, max_pages, inverted,
      required_mask, required_any_mask, return_mask;
};
constexpr uint64_t kIsPresent = 1 << 3, kIsZero = 1 << 5;

uint64_t floor_page(uint64_t address) {
  return address & ~(page_bytes() - 1);
}
uint64_t ceil_page(uint64_t address) {
  return floor_page(address + page_bytes() - 1);
}

}  // namespace

uint64_t thread_faults() {
  return faults_of(RUSAGE_THREAD);
}
uint64_t process_faults() {
  return faults_of(RUSAGE_SELF);
}

uint64_t resident_pages(const void* address, size_t bytes) {
  constexpr size_t kAtOnce = 4096;
  uint64_t begin = floor_page(reinterpret_cast<uint64_t>(address));
  uint64_t end = ceil_page(reinterpret_cast<uint64_t>(address) + bytes);
  uint64_t resident = 0;
  unsigned char map[kAtOnce];
  for (uint64_t at = begin; at < end; at += kAtOnce * page_bytes()) {
    size_t length = std::min(end - at, kAtOnce * page_bytes());
    if (mincore(reinterpret_cast<void*>(at), length, map) != 0) continue;  // a hole: not resident
    for (size_t i = 0; i < length / page_bytes(); ++i) resident += map[i] & 1;
  }
  return resident;
}

int64_t zero_pages(const void* address, size_t bytes) {
  uint64_t begin = floor_page(reinterpret_cast<uint64_t>(address));
  uint64_t end = ceil_page(reinterpret_cast<uint64_t>(address) + bytes);
  int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  PageRegion regions[64];
  int64_t pages = 0;
  while (begin < end && pages >= 0) {
    PagemapScan scan{
        sizeof scan,          0, begin,  end, 0, reinterpret_cast<uint64_t>(regions), 64, 0, 0,
        kIsPresent | kIsZero, 0, kIsZero};
    int found = ioctl(pagemap, _IOWR('f', 16, PagemapScan), &scan);
    for (int i = 0; i < found; ++i)
      pages += static_cast<int64_t>((regions[i].end - regions[i].start) / page_bytes());
    if (found < 0) pages = -1;
    begin = scan.walk_end;
  }
  close(pagemap);
  return pages;
}

}  // namespace ftprof::workload
