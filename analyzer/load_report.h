// A result from what users have at hand: a run's folder, or the JSON report of one.
#pragma once

#include <string>

#include "analyzer/result.h"

namespace ftprof {

// Throws BadInput for a path that is neither.
Result load_report(const std::string& path);

}  // namespace ftprof
