// The JSON report: a Result written out, and read back for `diff`, `check` and `compare`.
//
// Both sides stream: beside the Result itself, writing needs one buffer and reading one site.
// A report may come from anywhere, so reading trusts nothing in it.
#pragma once

#include <istream>
#include <ostream>
#include <string>

#include "analyzer/result.h"

namespace ftprof {

inline constexpr const char* kReportSchema = "ftprof.report/1";

void write_json(const Result& result, std::ostream& out);

// Throws BadInput, a sentence that begins with `name`, for anything that is no report.
Result read_json(std::istream& in, const std::string& name);
Result read_json_file(const std::string& path);

}  // namespace ftprof
