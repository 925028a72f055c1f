// The data of the HTML page: a Result as columns of plain numbers and indexes, the smallest JSON
// that still carries every figure. The page's src/data.ts is its reader; both know kPageFormat.
//
// Times are whole nanoseconds, but those of slices, touches and blocks, which are microseconds
// since the run's start: a screen has no pixel for less, and they are most of the bytes.
#pragma once

#include <nlohmann/json.hpp>

#include "analyzer/result.h"

namespace ftprof {

inline constexpr const char* kPageFormat = "ftprof.page/1";

nlohmann::json page_data(const Result& result);

}  // namespace ftprof
