// The program to be profiled, before it runs: where it is, and what of it a preloaded library will
// not see. Said in advance, so that an empty report is no surprise.
#pragma once

#include <string>

namespace ftprof {

struct FoundProgram {
  std::string path;  // empty: not found
  int error = 0;     // errno: ENOENT, or EACCES when something is there and cannot be executed
};

// As execvp looks for it.
FoundProgram find_program(const std::string& name);

// A sentence on what hides the program at `path` (or the interpreter of a script) from the library;
// empty when all is in reach.
std::string out_of_reach(const std::string& path);

}  // namespace ftprof
