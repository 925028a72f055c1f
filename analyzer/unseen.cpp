#include "analyzer/unseen.h"

#include <algorithm>
#include <cmath>

namespace ftprof {
namespace {

double moved(const Unseen& candidate, double pull) {
  double variance = candidate.error * candidate.error;
  return std::clamp(candidate.expected + pull * variance, 0.0, candidate.most);
}

double sum_of(const std::vector<Unseen>& candidates, double pull) {
  double sum = 0;
  for (const Unseen& each : candidates) sum += moved(each, pull);
  return sum;
}

// The pull in [low, high] under which they come to `total`; they grow with it.
double find_pull(const std::vector<Unseen>& candidates, double total, double low, double high) {
  for (int i = 0; i < 100; ++i) {
    double middle = (low + high) / 2;
    (sum_of(candidates, middle) < total ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double share_out(std::vector<Unseen>& candidates, double total) {
  total = std::max(0.0, total);
  double expected = sum_of(candidates, 0), variance = 0;
  for (const Unseen& each : candidates) variance += each.error * each.error;
  double pull = 0, shrink = 1;
  if (variance > 0) {
    double most = 3 / std::sqrt(variance), least = most;
    while (sum_of(candidates, -least) > total && least * variance < 1e18) least *= 2;
    pull = find_pull(candidates, total, -least, most);
    expected = sum_of(candidates, pull);
  }
  if (expected > total && expected > 0) shrink = total / expected;
  for (Unseen& each : candidates) {
    each.faults = moved(each, pull) * shrink;
    if (variance > 0) each.error *= std::sqrt(1 - each.error * each.error / variance);
  }
  return std::max(0.0, total - expected);
}

}  // namespace ftprof
