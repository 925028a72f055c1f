// Which frames of a stack are the allocator's, the C and C++ (and Rust) libraries', or our own:
// between the code that wanted memory and the call that gave it, and of no interest to a reader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/result.h"

namespace ftprof {

// The name without return type, arguments and template arguments:
// "void std::vector<int>::push<int>(int&&)" gives "std::vector::push".
std::string bare_name(std::string_view function);

bool is_folded(const Frame& frame);

// Site.top: the index of the first frame that is the program's own. Where all are folded, the first
// that is no allocator's; 0 for an empty stack.
size_t first_own_frame(const std::vector<Frame>& stack);

}  // namespace ftprof
