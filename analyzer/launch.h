// What a program needs around it to be profiled: the library, an allocator behind it, and the
// settings, all as environment variables. Shared by run, env and compare.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyzer/settings.h"

namespace ftprof {

// The full path of one of our own libraries ("libftprof.so"): beside the command in the build
// folder, or where it was installed. Refuses when it is nowhere.
std::string own_library(const std::string& name);

std::vector<std::string> allocator_names();
// An allocator's library by name (jemalloc, mimalloc, tcmalloc, libmalloc; glibc is "") or by path.
std::string allocator_library(const std::string& name);

// LD_PRELOAD (ours, the allocator, then what the user preloads already) and the settings'
// variables.
std::map<std::string, std::string> launch_environment(const Settings& settings,
                                                      const std::string& allocator);

}  // namespace ftprof
