// One program run under the library: folder made, environment set, run.json written. Shared by
// run and compare.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analyzer/child.h"
#include "analyzer/settings.h"

namespace ftprof {

struct RunPlan {
  std::vector<std::string> command;
  Settings settings;      // output.dir empty: ftprof.<exe>.<pid> in the current folder
  std::string allocator;  // a name or a path, empty: what the program has
  std::map<std::string, std::string> variables;  // on top, of a variant
  std::function<void()> in_child = [] {};        // redirections; must not throw
};

struct RunDone {
  ChildOutcome outcome;
  std::string folder;      // absolute
  bool has_trace = false;  // some image of the run wrote one
};

// Refuses (BadInput) before anything runs when the library, the allocator or the folder is not to
// be had. outcome.exec_error is set when the program could not be started.
RunDone run_profiled(const RunPlan& plan);

}  // namespace ftprof
