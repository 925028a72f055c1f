#include "analyzer/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

namespace ftprof {
namespace {

constexpr size_t kBarColumns = 40;
constexpr long kQuietNs = 1'000'000'000;

long now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool capable() {
  const char* terminal = std::getenv("TERM");
  return terminal && std::string_view(terminal) != "dumb";
}

}  // namespace

std::optional<size_t> terminal_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 ||
      size.ws_col == 0)
    return std::nullopt;
  return size.ws_col;
}

bool terminal_colour() {
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) == 1 && !(no_color && *no_color) && capable();
}

void clear_terminal() {
  if (isatty(STDOUT_FILENO) == 1 && capable()) std::cout << "\033[H\033[2J";
}

ProgressBar::ProgressBar()
    : wanted_(isatty(STDERR_FILENO) == 1 && capable()), begun_ns_(now_ns()) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fprintf(stderr, "\r\033[K");
}

void ProgressBar::show(double share) {
  if (!wanted_ || now_ns() - begun_ns_ < kQuietNs) return;
  drawn_ = true;
  auto filled = static_cast<size_t>(share * kBarColumns);
  std::string bar = std::string(filled, '#') + std::string(kBarColumns - filled, '.');
  std::fprintf(stderr, "\rreading %s %3.0f %%", bar.c_str(), share * 100);
}

}  // namespace ftprof
