// C++ (Itanium) and Rust (legacy and v0) symbol names as people write them.
#pragma once

#include <string>

namespace ftprof {

// The name itself when it is not a mangled one. Symbol versions ("memcpy@@GLIBC_2.14") and the
// compiler's copies ("f(int) [clone .cold]") are cut.
std::string demangle(const std::string& symbol);

}  // namespace ftprof
