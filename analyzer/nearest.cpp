#include "analyzer/nearest.h"

#include <algorithm>
#include <numeric>

namespace ftprof {

size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<size_t> before_last(to.size() + 1), last(to.size() + 1), row(to.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= to.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (from[i - 1] != to[j - 1])});
      bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[to.size()];
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  constexpr size_t kLongestWord =
      64;  // the table is quadratic, and a longer word is no typing slip
  if (word.size() > kLongestWord) return "";
  std::string best;
  size_t best_distance = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    bool begins = word.size() >= 3 && candidate.size() > word.size() && candidate.starts_with(word);
    size_t distance = begins ? 1 : edit_distance(word, candidate);
    if (distance >= best_distance || distance >= candidate.size()) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  std::string best = nearest(word, known);
  return best.empty() ? "" : "; did you mean " + best + "?";
}

}  // namespace ftprof
