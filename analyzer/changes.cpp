#include "analyzer/changes.h"

#include <algorithm>

#include "analyzer/figures.h"

namespace ftprof {

namespace {

std::string from_to(uint64_t before, uint64_t after) {
  return count_figure(static_cast<double>(before)) + " → " +
         count_figure(static_cast<double>(after));
}

class Clauses {
 public:
  void count(const char* what, uint64_t before, uint64_t after) {
    if (before != after) said.push_back(std::string(what) + " " + from_to(before, after));
  }
  std::vector<std::string> said;
};

double per_block(const SiteSum& site) {
  return static_cast<double>(site.bytes) / static_cast<double>(std::max<uint64_t>(1, site.blocks));
}

// The function that touched most, and empty when nobody is known to have.
std::string first_toucher(const SiteSum& site) {
  auto most = std::max_element(site.touched_by.begin(), site.touched_by.end(),
                               [](auto& a, auto& b) { return a.second < b.second; });
  return most == site.touched_by.end() ? "" : most->first;
}

void say_touchers(const SiteSum& before, const SiteSum& after, Clauses& clauses) {
  std::string was = first_toucher(before), is = first_toucher(after);
  if (was != is && !was.empty() && !is.empty())
    clauses.said.push_back("first touched by " + is + ", before by " + was);
}

void say_sizes(const SiteSum& before, const SiteSum& after, Clauses& clauses) {
  clauses.count("blocks", before.blocks, after.blocks);
  if (before.blocks && after.blocks && per_block(before) != per_block(after))
    clauses.said.push_back("bytes per block " + bytes_figure(per_block(before)) + " → " +
                           bytes_figure(per_block(after)));
  clauses.count("pages touched", before.touched_pages, after.touched_pages);
}

void say_reuse(const SiteSum& before, const SiteSum& after, Clauses& clauses) {
  clauses.count("warm hand-outs", before.warm, after.warm);
  clauses.count("partial hand-outs", before.partial, after.partial);
  clauses.count("cold hand-outs", before.cold, after.cold);
  clauses.count("refaults after purge", before.refaulted_pages, after.refaulted_pages);
}

void say_kinds(const FaultKinds& before, const FaultKinds& after, Clauses& clauses) {
  clauses.count("pages read first", before.zero_read, after.zero_read);
  clauses.count("written after a read", before.write_after_zero_read, after.write_after_zero_read);
  clauses.count("huge faults", before.huge, after.huge);
  clauses.count("faults in the call", before.in_call, after.in_call);
  clauses.count("kernel copies", before.kernel_copy, after.kernel_copy);
}

}  // namespace

std::vector<std::string> what_changed(const SitePair& pair) {
  if (!pair.before)
    return {"new: " + count_figure(static_cast<double>(pair.after->blocks)) + " blocks, " +
            bytes_figure(static_cast<double>(pair.after->bytes))};
  if (!pair.after) return {"gone"};
  Clauses clauses;
  if (pair.by_callers)
    clauses.said.push_back("matched by its callers, was " + stack_line(*pair.before->site, 2));
  say_sizes(*pair.before, *pair.after, clauses);
  say_reuse(*pair.before, *pair.after, clauses);
  say_touchers(*pair.before, *pair.after, clauses);
  say_kinds(pair.before->faults, pair.after->faults, clauses);
  return clauses.said;
}

bool touch_moved(const SitePair& pair, const Tolerance& tolerance, double period) {
  if (!pair.before || !pair.after) return false;
  if (pair.before->touched_by.empty() || pair.after->touched_by.empty()) return false;
  double all = static_cast<double>(pair.before->faults.count);
  auto moved = [&](const std::string& function, uint64_t now) {
    auto was = pair.before->touched_by.find(function);
    uint64_t before = was == pair.before->touched_by.end() ? 0 : was->second;
    double more = static_cast<double>(now) - static_cast<double>(before);
    return more > allowed_change(all, static_cast<double>(now), tolerance, period);
  };
  return std::any_of(pair.after->touched_by.begin(), pair.after->touched_by.end(),
                     [&](auto& touch) { return moved(touch.first, touch.second); });
}

}  // namespace ftprof
