// What only a terminal gets: its width, colour, a progress bar.
#pragma once

#include <cstddef>
#include <optional>

namespace ftprof {

std::optional<size_t> terminal_width();  // of standard output; nothing when it is no terminal
bool terminal_colour();                  // it is a terminal, and NO_COLOR does not forbid it
void clear_terminal();

// A bar on standard error, drawn from the second on which the work takes and gone when it ends.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  void show(double share);

 private:
  bool wanted_;
  bool drawn_ = false;
  long begun_ns_;
};

}  // namespace ftprof
