// Quantities as people write them in TOML and in --set: "128KiB", "500ms", "3%". Whole numbers but
// for shares; an empty optional is text that is not such a quantity, or one too large to hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ftprof {

std::optional<uint64_t> parse_count(std::string_view text);  // "64"
std::optional<uint64_t> parse_bytes(std::string_view text);  // "65536", "64KiB", "1MiB", "2GiB"
std::optional<uint64_t> parse_duration_ns(
    std::string_view text);                                // "0", "800ns", "5us", "500ms", "1s"
std::optional<double> parse_share(std::string_view text);  // "3%" is 0.03; "0.03" too; 0 to 1
std::optional<bool> parse_flag(std::string_view text);     // true, false

// In the largest unit that holds it without a remainder; parse_* read it back.
std::string bytes_text(uint64_t bytes);
std::string duration_text(uint64_t ns);

}  // namespace ftprof
