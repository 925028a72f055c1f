#include "analyzer/match.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <unordered_map>

namespace ftprof {

namespace {

using Names = std::vector<std::string>;

// `names` as one text, without the frame at `left_out`.
std::string key(const Names& names, size_t left_out) {
  std::string all;
  for (size_t i = 0; i < names.size(); ++i)
    if (i != left_out) (all += names[i]) += '\n';
  return all;
}

// Hashes of the stack itself and of the stack without each of its frames. Two stacks with a common
// hash are one edit apart, or two of which one is above the other.
std::vector<size_t> neighbourhood(const Names& names) {
  std::vector<size_t> keys;
  for (size_t i = 0; i <= names.size(); ++i) {
    std::string one = key(names, i);
    if (!one.empty()) keys.push_back(std::hash<std::string>()(one));
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

// One frame replaced, added or taken away, all others in place.
bool one_edit_apart(const Names& a, const Names& b) {
  const Names& longer = a.size() >= b.size() ? a : b;
  const Names& shorter = a.size() >= b.size() ? b : a;
  size_t head =
      std::mismatch(shorter.begin(), shorter.end(), longer.begin()).first - shorter.begin();
  size_t tail =
      std::mismatch(shorter.rbegin(), shorter.rend(), longer.rbegin()).first - shorter.rbegin();
  return longer.size() - shorter.size() <= 1 && head + tail + 1 >= longer.size();
}

double block_bytes(const SiteSum& site) {
  return static_cast<double>(site.bytes) / static_cast<double>(std::max<uint64_t>(site.blocks, 1));
}

// How unlike the blocks of two sites are: 0 for the same size and number.
double distance(const SiteSum& a, const SiteSum& b) {
  auto ratio = [](double x, double y) {
    return std::max(x, y) / std::max(1.0, std::min(x, y)) - 1;
  };
  return ratio(block_bytes(a), block_bytes(b)) +
         ratio(static_cast<double>(a.blocks), static_cast<double>(b.blocks)) / 1000;
}

struct Candidate {
  double distance;
  std::string name_low, name_high;  // of both sites, sorted: the order does not depend on the side
  const SiteSum *before, *after;

  bool operator<(const Candidate& other) const {
    return std::tie(distance, name_low, name_high) <
           std::tie(other.distance, other.name_low, other.name_high);
  }
};

Candidate candidate(const SiteSum* before, const SiteSum* after) {
  std::string a = key(before->names, before->names.size());
  std::string b = key(after->names, after->names.size());
  return {distance(*before, *after), std::min(a, b), std::max(a, b), before, after};
}

using Sites = std::vector<const SiteSum*>;

constexpr size_t kCrowd = 64;    // more sites than this with one neighbour: it is no evidence
constexpr double kLikeSize = 1;  // block sizes within a factor of two

std::unordered_map<size_t, Sites> by_neighbour(const Sites& sites) {
  std::unordered_map<size_t, Sites> index;
  for (const SiteSum* site : sites)
    for (size_t one : neighbourhood(site->names)) index[one].push_back(site);
  return index;
}

bool could_be_same(const SiteSum& a, const SiteSum& b) {
  return distance(a, b) <= kLikeSize && one_edit_apart(a.names, b.names);
}

std::vector<Candidate> candidates(const Sites& before, const Sites& after) {
  std::vector<Candidate> found;
  auto after_index = by_neighbour(after);
  for (const auto& [one, sites] : by_neighbour(before)) {
    const Sites& others = after_index[one];
    if (sites.size() > kCrowd || others.size() > kCrowd) continue;
    for (const SiteSum* site : sites)
      for (const SiteSum* other : others)
        if (could_be_same(*site, *other)) found.push_back(candidate(site, other));
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::vector<SitePair> match_sites(const std::vector<SiteSum>& before,
                                  const std::vector<SiteSum>& after) {
  std::unordered_map<std::string, const SiteSum*> by_stack;
  for (const SiteSum& site : after) by_stack[key(site.names, site.names.size())] = &site;
  std::unordered_map<const SiteSum*, bool> paired;
  std::vector<SitePair> pairs;
  Sites left_before, left_after;
  auto pair = [&](const SiteSum* one, const SiteSum* other, bool by_callers) {
    pairs.push_back({one, other, by_callers});
    paired[one] = paired[other] = true;
  };
  for (const SiteSum& site : before) {
    auto same = by_stack.find(key(site.names, site.names.size()));
    same == by_stack.end() ? left_before.push_back(&site) : pair(&site, same->second, false);
  }
  for (const SiteSum& site : after)
    if (!paired.count(&site)) left_after.push_back(&site);
  for (const Candidate& near : candidates(left_before, left_after))
    if (!paired.count(near.before) && !paired.count(near.after))
      pair(near.before, near.after, true);
  for (const SiteSum* site : left_before)
    if (!paired.count(site)) pairs.push_back({site, nullptr, false});
  for (const SiteSum* site : left_after)
    if (!paired.count(site)) pairs.push_back({nullptr, site, false});
  return pairs;
}

}  // namespace ftprof
