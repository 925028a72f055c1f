// From the folders of a run (or of several) to its Result: reads every image, bills it, names the
// code, and merges what several images and several runs have in common.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analyzer/result.h"
#include "analyzer/symbols.h"

namespace ftprof {

struct AnalyzeOptions {
  SymbolOptions symbols;
  std::function<void(double share)> progress;  // called now and then while the traces are read
};

// Throws BadInput when a folder is no run's. An image that cannot be read is left out with a
// warning as long as another one can.
Result analyze(const std::vector<std::string>& folders, const AnalyzeOptions& options = {});

}  // namespace ftprof
