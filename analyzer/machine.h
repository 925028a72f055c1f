// What this machine is and allows, as far as first touches go: read once, from /proc and /sys.
// Absent files leave their field empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ftprof {

struct Machine {
  std::string kernel, architecture;
  unsigned cpus = 0;
  unsigned numa_nodes = 0;
  uint64_t page_bytes = 0, memory_bytes = 0;
  std::optional<uint64_t> huge_page_bytes;
  std::string thp_enabled, thp_defrag;  // the chosen word
  std::string container;                // "docker", "podman", "kubernetes", ...; empty: none seen
  std::optional<int> paranoid;          // kernel.perf_event_paranoid
  std::optional<uint64_t> perf_mlock_bytes;  // kernel.perf_event_mlock_kb, per CPU and user
  std::optional<uint64_t> memlock_bytes;     // RLIMIT_MEMLOCK; empty: unlimited
  uint64_t open_files = 0;                   // RLIMIT_NOFILE
  int seccomp = 0;                           // 0 off, 1 strict, 2 filter
  bool no_new_privs = false;
  bool may_perf = false;  // CAP_PERFMON or CAP_SYS_ADMIN in effect
  bool pagemap_scan = false, pagemap_readable = false;
};

Machine look_at_machine();

}  // namespace ftprof
