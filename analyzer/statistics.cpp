#include "analyzer/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace ftprof {

namespace {

constexpr double kSignificant = 0.05;
constexpr size_t kEnoughForTest = 4;
constexpr size_t kMostForTest = 50;  // the exact distribution grows with the third power

// Twice the rank of each value among all, ties sharing the mean of theirs: whole numbers.
std::vector<size_t> doubled_ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size()), ranks(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t x, size_t y) { return values[x] < values[y]; });
  for (size_t i = 0, end = 0; i < order.size(); i = end) {
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (size_t at = i; at < end; ++at) ranks[order[at]] = i + end + 1;
  }
  return ranks;
}

// How many ways there are to choose `chosen` of the ranks with each possible sum.
std::vector<double> ways_by_sum(const std::vector<size_t>& ranks, size_t chosen) {
  size_t all = std::accumulate(ranks.begin(), ranks.end(), size_t{0});
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(all + 1, 0));
  ways[0][0] = 1;
  for (size_t rank : ranks)
    for (size_t taken = chosen; taken > 0; --taken)
      for (size_t sum = all; sum + 1 > rank; --sum) ways[taken][sum] += ways[taken - 1][sum - rank];
  return ways[chosen];
}

std::vector<double> first_values(std::vector<double> values) {
  if (values.size() > kMostForTest) values.resize(kMostForTest);
  return values;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double smallest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

double largest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

double mann_whitney(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> first = first_values(a), second = first_values(b), both = first;
  both.insert(both.end(), second.begin(), second.end());
  std::vector<size_t> ranks = doubled_ranks(both);
  auto of_first = ranks.begin() + static_cast<std::ptrdiff_t>(first.size());
  double found = static_cast<double>(std::accumulate(ranks.begin(), of_first, size_t{0}));
  double expected = static_cast<double>(first.size() * (both.size() + 1));
  double as_far = 0, all = 0;
  std::vector<double> ways = ways_by_sum(ranks, first.size());
  for (size_t sum = 0; sum < ways.size(); ++sum) {
    all += ways[sum];
    if (std::fabs(static_cast<double>(sum) - expected) >= std::fabs(found - expected))
      as_far += ways[sum];
  }
  return as_far / all;
}

Noise compare_samples(const std::vector<double>& a, const std::vector<double>& b) {
  size_t least = std::min(a.size(), b.size());
  if (least < 2) return Noise::unknown;
  bool apart = least >= kEnoughForTest ? mann_whitney(a, b) < kSignificant
                                       : largest(a) < smallest(b) || largest(b) < smallest(a);
  return apart ? Noise::beyond : Noise::within;
}

}  // namespace ftprof
