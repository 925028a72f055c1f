// Runs one program to its end as a good parent: same terminal and process group, its signals passed
// on, its exit status and resource usage returned. Shared by run and compare.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ftprof {

struct ChildOutcome {
  pid_t pid = 0;
  int exec_error = 0;   // errno of a failed exec; then nothing below is set
  int exit_status = 0;  // as a shell gives it: 128 + N for signal N
  int signal = 0;       // 0: it exited by itself
  uint64_t start_unix_ns = 0, wall_ns = 0;
  // Of the program and of its children that it waited for (wait4).
  uint64_t user_ns = 0, system_ns = 0, minor_faults = 0, major_faults = 0, peak_resident_bytes = 0;
};

struct ChildHooks {
  // In the parent, before the program starts; the pid is final. Throwing keeps it from starting.
  std::function<void(pid_t)> before_start = [](pid_t) {};
  // In the child, just before exec: environment, descriptors. Must not throw.
  std::function<void()> in_child = [] {};
};

ChildOutcome run_child(const std::vector<std::string>& command, const ChildHooks& hooks);

}  // namespace ftprof
