#include "analyzer/machine.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "analyzer/quantity.h"

namespace ftprof {
namespace fs = std::filesystem;
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::string text(std::istreambuf_iterator<char>(file), {});
  return text.substr(0, text.find_last_not_of(" \n") + 1);
}

std::optional<uint64_t> number_in(const std::string& path) {
  return parse_count(text_of(path));
}

// "always [madvise] never" gives "madvise".
std::string chosen_word(const std::string& path) {
  std::string text = text_of(path);
  size_t begin = text.find('['), end = text.find(']');
  return begin == text.npos || end == text.npos ? "" : text.substr(begin + 1, end - begin - 1);
}

// "Seccomp:\t2" in /proc/self/status; empty when there is no such line.
std::string status_field(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":"))
      return line.substr(line.find_first_not_of(" \t", name.size() + 1));
  return "";
}

unsigned count_nodes() {
  std::error_code error;
  unsigned nodes = 0;
  for (const auto& entry : fs::directory_iterator("/sys/devices/system/node", error)) {
    std::string name = entry.path().filename().string();
    nodes += name.starts_with("node") && name.find_first_not_of("0123456789", 4) == name.npos;
  }
  return nodes;
}

std::string container() {
  if (std::getenv("KUBERNETES_SERVICE_HOST")) return "kubernetes";
  if (const char* name = std::getenv("container")) return name;
  if (access("/run/.containerenv", F_OK) == 0) return "podman";
  return access("/.dockerenv", F_OK) == 0 ? "docker" : "";
}

std::optional<uint64_t> limit(int resource) {
  rlimit limits = {};
  getrlimit(static_cast<__rlimit_resource>(resource), &limits);
  if (limits.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limits.rlim_cur;
}

bool has_capability(int number) {
  uint64_t effective = std::strtoull(status_field("CapEff").c_str(), nullptr, 16);
  return (effective >> number) & 1;
}

// struct pm_scan_arg of Linux 6.7, for older headers.
struct PagemapScan {
  uint64_t size, flags, start, end, walk_end, regions, region_count, max_pages;
  uint64_t inverted, all_of, any_of, returned;
};

bool can_scan(int pagemap) {
  static char here;
  uint64_t page = reinterpret_cast<uint64_t>(&here) & ~(static_cast<uint64_t>(getpagesize()) - 1);
  PagemapScan scan = {};
  scan.size = sizeof scan;
  scan.start = page;
  scan.end = page + static_cast<uint64_t>(getpagesize());
  scan.any_of = scan.returned = 1 << 3;  // PAGE_IS_PRESENT
  return ioctl(pagemap, _IOWR('f', 16, PagemapScan), &scan) >= 0;
}

void look_at_pagemap(Machine& machine) {
  int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pagemap < 0) return;
  uint64_t entry = 0;
  auto page = reinterpret_cast<uint64_t>(&entry) / static_cast<uint64_t>(getpagesize());
  machine.pagemap_readable =
      pread(pagemap, &entry, sizeof entry, static_cast<off_t>(page * sizeof entry)) == sizeof entry;
  machine.pagemap_scan = can_scan(pagemap);
  close(pagemap);
}

}  // namespace

Machine look_at_machine() {
  Machine machine;
  utsname name = {};
  uname(&name);
  machine.kernel = name.release;
  machine.architecture = name.machine;
  machine.cpus = static_cast<unsigned>(sysconf(_SC_NPROCESSORS_ONLN));
  machine.numa_nodes = std::max(1u, count_nodes());
  machine.page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  machine.memory_bytes = machine.page_bytes * static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES));
  const std::string kThp = "/sys/kernel/mm/transparent_hugepage/";
  machine.huge_page_bytes = number_in(kThp + "hpage_pmd_size");
  machine.thp_enabled = chosen_word(kThp + "enabled");
  machine.thp_defrag = chosen_word(kThp + "defrag");
  machine.container = container();
  std::string paranoid = text_of("/proc/sys/kernel/perf_event_paranoid");
  if (!paranoid.empty()) machine.paranoid = std::atoi(paranoid.c_str());
  if (auto kib = number_in("/proc/sys/kernel/perf_event_mlock_kb"))
    machine.perf_mlock_bytes = *kib * 1024;
  machine.memlock_bytes = limit(RLIMIT_MEMLOCK);
  machine.open_files = limit(RLIMIT_NOFILE).value_or(UINT64_MAX);
  machine.seccomp = std::atoi(status_field("Seccomp").c_str());
  machine.no_new_privs = status_field("NoNewPrivs") == "1";
  constexpr int kPerfmon = 38;  // CAP_PERFMON, Linux 5.8
  machine.may_perf = has_capability(kPerfmon) || has_capability(CAP_SYS_ADMIN);
  look_at_pagemap(machine);
  return machine;
}

}  // namespace ftprof
