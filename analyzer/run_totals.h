// What the parent of a run wrote down (run.json, see run_record.h): the command that was given and
// the kernel's own count over the whole tree of processes. The traces know less: a process without
// a tracked block leaves none, a shell between fork and exec neither.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ftprof {

struct RunTotals {
  std::vector<std::string> command;  // of the run that began first; empty: nobody wrote it down
  uint64_t faults = 0;               // of all the runs, minor and major
};

// Reads every run.json and run.PID.json of the folders. One that makes no sense is a warning.
RunTotals read_run_totals(const std::vector<std::string>& folders,
                          std::vector<std::string>& warnings);

}  // namespace ftprof
