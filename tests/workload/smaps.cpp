#include "tests/workload/smaps.h"

#include <cstdio>
#include <string>

#include "tests/workload/machine.h"

namespace ftprof::workload {
namespace {

uint64_t value_after(const std::string& line, const std::string& key) {
  return line.rfind(key, 0) == 0 ? std::stoull(line.substr(key.size())) : 0;
}

}  // namespace

HugeCounters huge_counters() {
  HugeCounters counters;
  for (const std::string& line : lines("/proc/vmstat")) {
    counters.allocated += value_after(line, "thp_fault_alloc ");
    counters.refused += value_after(line, "thp_fault_fallback ");
  }
  return counters;
}

MappingUse mapping_use(const void* address, size_t bytes) {
  uint64_t begin = reinterpret_cast<uint64_t>(address), end = begin + bytes;
  MappingUse use;
  bool inside = false;
  for (const std::string& line : lines("/proc/self/smaps")) {
    unsigned long from = 0, to = 0;
    char mode[5];
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &from, &to, mode) == 3)
      inside = from < end && begin < to;
    if (!inside) continue;
    use.rss_bytes += value_after(line, "Rss:") * 1024;
    use.huge_bytes += value_after(line, "AnonHugePages:") * 1024;
  }
  return use;
}

}  // namespace ftprof::workload
