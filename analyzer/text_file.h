// A file that the user hands over, as one text.
#pragma once

#include <string>

namespace ftprof {

// Throws BadInput when it cannot be read; `what` is what it should be: "TOML file".
std::string read_text_file(const std::string& path, const std::string& what);

}  // namespace ftprof
