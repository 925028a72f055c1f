// "Did you mean …": the known word that is closest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ftprof {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
size_t edit_distance(std::string_view from, std::string_view to);

// The closest of `known`; empty when none is near enough to be what was meant.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

// "; did you mean WORD?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace ftprof
