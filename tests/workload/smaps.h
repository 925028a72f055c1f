// What the kernel says about the huge pages of the machine and of one mapping.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ftprof::workload {

// thp_fault_alloc and thp_fault_fallback of /proc/vmstat, machine wide since boot.
struct HugeCounters {
  uint64_t allocated = 0, refused = 0;
};
HugeCounters huge_counters();

// Rss and AnonHugePages from /proc/self/smaps, over the mappings that [address, +bytes) lies in.
struct MappingUse {
  uint64_t rss_bytes = 0, huge_bytes = 0;
};
MappingUse mapping_use(const void* address, size_t bytes);

}  // namespace ftprof::workload
