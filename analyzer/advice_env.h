// What the environment can do about a site, by allocator: the settings that keep memory, and those
// that ask for huge pages.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace ftprof {

using Environment = std::map<std::string, std::string>;

// Empty where the allocator has no such setting, or none is needed. For blocks of `bytes` each.
Environment keep_environment(const std::string& allocator, uint64_t bytes);
Environment huge_environment(const std::string& allocator, const std::string& thp_enabled);

}  // namespace ftprof
