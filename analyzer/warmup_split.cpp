#include "analyzer/warmup_split.h"

#include <algorithm>

#include "analyzer/bad_input.h"
#include "analyzer/quantity.h"

namespace ftprof {

namespace {

std::string marks_of(const Result& run) {
  std::string names;
  for (const Phase& phase : run.phases) names += (names.empty() ? "" : ", ") + phase.name;
  return names.empty() ? "the run has no marks" : "its phases are " + names;
}

const Phase& phase_named(const Result& run, const std::string& name) {
  for (const Phase& phase : run.phases)
    if (phase.name == name) return phase;
  throw BadInput("warm-up ends at mark " + name + ", which the run never passed; " + marks_of(run));
}

WarmupSplit until_mark(const Result& run, const std::string& name) {
  WarmupSplit split;
  split.end_ns = phase_named(run, name).begin_ns;
  for (const Phase& phase : run.phases) {
    bool before = phase.begin_ns < split.end_ns;
    (before ? split.faults : split.steady_faults) += static_cast<double>(phase.faults);
    (before ? split.cost_ns : split.steady_cost_ns) += phase.cost_ns;
    if (before) split.phases.push_back(phase.name);
  }
  return split;
}

WarmupSplit until_time(const Result& run, double end_ns) {
  WarmupSplit split;
  split.end_ns = end_ns;
  const Timeline& timeline = run.timeline;
  for (size_t i = 0; i < timeline.faults.size(); ++i) {
    double begin = static_cast<double>(i) * timeline.interval_ns;
    double share = std::clamp((end_ns - begin) / std::max(1.0, timeline.interval_ns), 0.0, 1.0);
    double faults = static_cast<double>(timeline.faults[i]);
    double cost = i < timeline.fault_ns.size() ? timeline.fault_ns[i] : 0;
    split.faults += share * faults;
    split.cost_ns += share * cost;
    split.steady_faults += (1 - share) * faults;
    split.steady_cost_ns += (1 - share) * cost;
  }
  return split;
}

WarmupSplit cut(const Result& run, const std::string& until) {
  if (until.starts_with("mark:")) return until_mark(run, until.substr(5));
  if (auto time = parse_duration_ns(until)) return until_time(run, static_cast<double>(*time));
  if (run.timeline.warmup_end_ns) return until_time(run, *run.timeline.warmup_end_ns);
  WarmupSplit all = until_time(run, run.run.duration_ns);
  all.settled = false;
  return all;
}

}  // namespace

double WarmupSplit::steady_faults_per_second() const {
  return steady_ns > 0 ? steady_faults / (steady_ns / 1e9) : 0;
}

double WarmupSplit::steady_cost_share() const {
  return steady_ns > 0 ? steady_cost_ns / steady_ns : 0;
}

WarmupSplit split_warmup(const Result& run, const std::string& until) {
  WarmupSplit split = cut(run, until);
  if (split.end_ns >= run.run.duration_ns) split.settled = false;
  split.steady_ns = std::max(0.0, run.run.duration_ns - split.end_ns);
  return split;
}

uint64_t faults_in(const Site& site, const std::vector<std::string>& phases) {
  if (phases.empty()) return site.faults.count;
  uint64_t faults = 0;
  for (const std::string& phase : phases)
    if (auto found = site.by_phase.find(phase); found != site.by_phase.end())
      faults += found->second.first;
  return faults;
}

}  // namespace ftprof
