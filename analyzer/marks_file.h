// Marks from outside: `ftprof mark PID NAME` appends a line to the file `marks` in the image's
// folder, and the analyzer reads it beside the trace. The program takes no part: no signal, no
// thread, nothing that could disturb it, and the time is exact.
//
//   a line is  CLOCK_MONOTONIC in ns, a space, the name
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ftprof {

struct OutsideMark {
  uint64_t monotonic_ns = 0;
  std::string name;
};

// In the order of the file; lines that are none are passed over. Empty without the file.
std::vector<OutsideMark> read_marks(const std::string& image_folder);
std::vector<OutsideMark> parse_marks(std::string_view text);

// Now. Refuses (BadInput) a process that is not there, is not being recorded, or is another's, and
// a name that is no line of text.
void set_mark(pid_t pid, const std::string& name);

}  // namespace ftprof
