// The one way to refuse what a user handed over: a sentence that says what is wrong, where, and
// what to do. main() prints it as one line and exits with kUnusable.
#pragma once

#include <stdexcept>
#include <string>

namespace ftprof {

// Exit statuses of every command but `run`, which exits as the program does.
inline constexpr int kDone = 0, kDiffers = 1, kUnusable = 2;

class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace ftprof
