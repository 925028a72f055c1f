// Runs a program under each variant in turn, so that whatever drifts on the machine meets all of
// them alike: every other round goes backwards.
//
// A run's standard input is /dev/null and its output goes to files; what it wrote and how it ended
// must be what the first good run wrote and how that ended.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analyzer/compare.h"
#include "analyzer/settings.h"

namespace ftprof {

struct ComparePlan {
  std::vector<std::string> command;
  Settings settings;
  std::vector<Variant> variants;
  size_t rounds = 1;
  std::string folder;  // exists; the runs' folders go into it
  std::function<void(const std::string&)> progress = [](const std::string&) {};  // "2/3 jemalloc"
};

struct CompareRuns {
  std::vector<VariantRuns> variants;  // in the order of the plan
  std::vector<std::string> notes;
};

// Throws BadInput when the program or an allocator cannot be had, or the user interrupts.
CompareRuns run_variants(const ComparePlan& plan);

}  // namespace ftprof
