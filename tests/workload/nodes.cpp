#include "tests/workload/nodes.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <sstream>
#include <string>

#include "tests/workload/machine.h"

namespace ftprof::workload {
namespace {

// "0-3,8" as numbers.
std::vector<int> number_list(const std::string& text) {
  std::vector<int> numbers;
  std::stringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    size_t dash = part.find('-');
    int first = std::stoi(part);
    int last = dash == std::string::npos ? first : std::stoi(part.substr(dash + 1));
    for (int i = first; i <= last; ++i) numbers.push_back(i);
  }
  return numbers;
}

std::vector<int> cpus_of(int node) {
  return number_list(
      first_line("/sys/devices/system/node/node" + std::to_string(node) + "/cpulist"));
}

}  // namespace

std::vector<int> memory_nodes() {
  std::vector<int> nodes;
  for (int node : number_list(first_line("/sys/devices/system/node/online")))
    if (!cpus_of(node).empty()) nodes.push_back(node);
  return nodes.empty() ? std::vector<int>{0} : nodes;
}

bool run_on_node(int node) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu : cpus_of(node)) CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

int current_node() {
  unsigned cpu = 0, node = 0;
  return syscall(SYS_getcpu, &cpu, &node, nullptr) == 0 ? static_cast<int>(node) : -1;
}

int node_of(const void* address) {
  void* page = const_cast<void*>(address);
  int node = -1;
  // Without target nodes move_pages only tells where the pages are.
  if (syscall(SYS_move_pages, 0, 1UL, &page, nullptr, &node, 0) != 0) return -1;
  return node;
}

}  // namespace ftprof::workload
