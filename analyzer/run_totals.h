// What the parent of a run wrote down (run.json, see run_record.h): the command that was given and
// the kernel's own count over the whole tree of processes. The traces know less: a process without
// a tracked block leaves none, a shell between fork and exec neither.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ftprof {

struct RunTotals {
  std::vector<std::string> command;  // of the run that began first; empty: nobody wrote it down
  uint64_t faults = 0;               // of all the runs, minor and major
};

struct RunRecord {
  uint64_t start_unix_ns = 0;
  RunTotals totals;
};

// The text of one run.json; nothing when it is none.
std::optional<RunRecord> parse_run_record(std::string_view text);

// Reads every run.json and run.PID.json of the folders. One that makes no sense is a warning.
RunTotals read_run_totals(const std::vector<std::string>& folders,
                          std::vector<std::string>& warnings);

}  // namespace ftprof
