// The version that a trace's metadata carries in its environment block.
#pragma once

#include <filesystem>

namespace ftprof {

// Throws BadInput when `metadata` cannot be read, is not ftprof's, or is of a version newer than
// this ftprof knows.
void check_trace_version(const std::filesystem::path& metadata);

}  // namespace ftprof
