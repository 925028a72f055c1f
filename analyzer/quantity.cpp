#include "analyzer/quantity.h"

#include <charconv>
#include <cmath>
#include <span>

namespace ftprof {
namespace {

struct Unit {
  std::string_view name;
  uint64_t factor;
};

// Largest first. The empty name is a bare number.
constexpr Unit kByteUnits[] = {
    {"GiB", 1ull << 30}, {"MiB", 1ull << 20}, {"KiB", 1ull << 10}, {"B", 1}, {"", 1}};
constexpr Unit kTimeUnits[] = {
    {"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}, {"", 1}};

std::optional<uint64_t> parse_with(std::span<const Unit> units, std::string_view text) {
  size_t digits = text.find_first_not_of("0123456789");
  if (digits == std::string_view::npos) digits = text.size();
  auto number = parse_count(text.substr(0, digits));
  for (const Unit& unit : units) {
    if (!number || unit.name != text.substr(digits)) continue;
    uint64_t product = 0;
    if (__builtin_mul_overflow(*number, unit.factor, &product)) return std::nullopt;
    return product;
  }
  return std::nullopt;
}

std::string text_with(std::span<const Unit> units, uint64_t value) {
  for (const Unit& unit : units)
    if (value >= unit.factor && value % unit.factor == 0)
      return std::to_string(value / unit.factor) + std::string(unit.name);
  return "0";
}

}  // namespace

std::optional<uint64_t> parse_count(std::string_view text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<uint64_t> parse_bytes(std::string_view text) {
  return parse_with(kByteUnits, text);
}

std::optional<uint64_t> parse_duration_ns(std::string_view text) {
  return parse_with(kTimeUnits, text);
}

std::optional<double> parse_share(std::string_view text) {
  bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (percent) value /= 100;
  if (!(value >= 0 && value <= 1)) return std::nullopt;  // refuses NaN as well
  return value;
}

std::optional<bool> parse_flag(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::string bytes_text(uint64_t bytes) {
  return text_with(kByteUnits, bytes);
}
std::string duration_text(uint64_t ns) {
  return text_with(kTimeUnits, ns);
}

}  // namespace ftprof
