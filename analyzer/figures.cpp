#include "analyzer/figures.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace ftprof {

namespace {

std::string printed(const char* form, double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, form, value, unit);
  return text;
}

// Three digits that count: "1.23 ms", "12.3 ms", "123 ms".
std::string three_digits(double value, const char* unit) {
  double size = std::fabs(value);
  return printed(size < 9.995 ? "%.2f %s" : size < 99.95 ? "%.1f %s" : "%.0f %s", value, unit);
}

}  // namespace

std::string count_figure(double count) {
  std::string digits = printed("%.0f%s", std::round(std::fabs(count)), "");
  std::string figure = count < 0 && digits != "0" ? "-" : "";
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % 3 == 0) figure += ',';
    figure += digits[i];
  }
  return figure;
}

std::string time_figure(double ns) {
  double size = std::fabs(ns);
  if (size == 0) return "0 ns";
  if (size < 999.5) return three_digits(ns, "ns");
  if (size < 999.5e3) return three_digits(ns / 1e3, "µs");
  if (size < 999.5e6) return three_digits(ns / 1e6, "ms");
  return three_digits(ns / 1e9, "s");
}

std::string bytes_figure(double bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  // From 1023.95 on, one decimal would show 1024.0.
  for (; unit < 4 && std::fabs(bytes) >= (unit ? 1023.95 : 1024); ++unit) bytes /= 1024;
  return printed(unit == 0 ? "%.0f %s" : "%.1f %s", bytes, kUnits[unit]);
}

std::string share_figure(double share) {
  return printed("%.1f %s", 100 * share, "%");
}

std::string exact_figure(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

std::string signed_figure(double value, std::string (*figure)(double)) {
  return value > 0 ? "+" + figure(value) : figure(value);
}

}  // namespace ftprof
