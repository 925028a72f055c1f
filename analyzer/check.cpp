#include "analyzer/check.h"

#include <algorithm>
#include <functional>
#include <regex>

#include "analyzer/bad_input.h"
#include "analyzer/blame.h"
#include "analyzer/changes.h"
#include "analyzer/figures.h"
#include "analyzer/warmup_split.h"

namespace ftprof {

namespace {

double number(uint64_t count) {
  return static_cast<double>(count);
}

// The share of looked-up hand-outs that were warm; absent without any.
std::optional<double> warm_share(double fresh, double warm, double partial, double cold) {
  double all = fresh + warm + partial + cold;
  return all > 0 ? std::optional(warm / all) : std::nullopt;
}

// std::regex recurses for each character: names of hostile length are cut before they reach it.
bool any_frame_matches(const Site& site, const std::regex& pattern) {
  constexpr size_t kLongestName = 2000;
  return std::any_of(site.stack.begin(), site.stack.end(), [&](const Frame& frame) {
    return std::regex_search(frame.function.substr(0, kLongestName), pattern);
  });
}

class Checker {
 public:
  Checker(const Result& run, const Budget& budget, const Result* baseline)
      : run_(run), budget_(budget), sums_(sum_sites(run)) {
    if (baseline) diff_.emplace(*baseline, run);
  }

  CheckReport report() {
    check_whole_run();
    check_warmup();
    for (const SiteBudget& site : budget_.sites) check_site(site);
    if (diff_) check_baseline();
    return std::move(report_);
  }

 private:
  using Pays = std::function<double(const Site&)>;

  // A limit from above, or from below for a key that begins with "min"; absent limits are skipped.
  void judge(Finding finding, const Limit& limit, const std::optional<double>& found, Unit unit,
             const Pays& pays, const std::string& why_unknown = "not known") {
    if (!limit) return;
    bool least = finding.key.starts_with("min");
    finding.allowed = (least ? "≥ " : "≤ ") + figure(limit, unit);
    finding.found = found ? figure(found, unit) : why_unknown;
    finding.allowed_value = limit;
    finding.found_value = found;
    finding.exceeded = !found || (least ? *found < *limit : *found > *limit);
    if (finding.exceeded && !finding.blame) finding.blame = dearest(pays);
    report_.findings.push_back(std::move(finding));
  }

  void check_whole_run() {
    const RunBudget& limits = budget_.run;
    const Ledger& ledger = run_.ledger;
    const Pool& pool = run_.pool;
    Pays faults = [](const Site& site) { return number(site.faults.count); };
    Pays cost = [](const Site& site) { return site.cost.total_ns; };
    Pays not_warm = [](const Site& site) {
      return number(site.reuse.fresh + site.reuse.cold + site.reuse.partial);
    };
    auto run = [](const char* key) { return Finding{.section = "run", .key = key}; };
    judge(run("max_faults"), limits.max_faults, number(program_faults(ledger)), Unit::count,
          faults);
    judge(run("max_major_faults"), limits.max_major_faults, number(ledger.major_faults),
          Unit::count, [](const Site& site) { return number(site.faults.major); });
    judge(run("max_fault_time"), limits.max_fault_time_ns, program_cost_ns(ledger), Unit::ns, cost);
    judge(run("min_accounted"), limits.min_accounted, ledger.accounted_share, Unit::share, {});
    judge(run("max_peak_resident"), limits.max_peak_resident_bytes,
          number(run_.run.peak_resident_bytes), Unit::bytes, faults);
    judge(run("max_cold_handouts"), limits.max_cold_handouts, number(pool.cold), Unit::count,
          [](const Site& site) { return number(site.reuse.cold); });
    judge(run("max_refaults_after_purge"), limits.max_refaults_after_purge,
          number(pool.refaulted_after_purge_pages), Unit::count,
          [](const Site& site) { return number(site.reuse.refaulted_after_purge_pages); });
    judge(
        run("min_warm"), limits.min_warm,
        warm_share(number(pool.fresh), number(pool.warm), number(pool.partial), number(pool.cold)),
        Unit::share, not_warm, "no hand-out was looked up");
  }

  void check_warmup() {
    const WarmupBudget& warmup = budget_.warmup;
    const SteadyBudget& steady = budget_.steady;
    bool asked = warmup.max_faults || warmup.max_fault_time_ns || steady.max_faults_per_second ||
                 steady.max_fault_time_share;
    if (!asked) return;
    WarmupSplit split = split_warmup(run_, warmup.until);
    Pays faults = [&](const Site& site) { return number(faults_in(site, split.phases)); };
    Finding in_warmup{.section = "warmup", .subject = "until " + time_figure(split.end_ns)};
    in_warmup.key = "max_faults";
    judge(in_warmup, warmup.max_faults, split.faults, Unit::count, faults);
    in_warmup.key = "max_fault_time";
    judge(in_warmup, warmup.max_fault_time_ns, split.cost_ns, Unit::ns, faults);
    check_steady(split);
  }

  void check_steady(const WarmupSplit& split) {
    const SteadyBudget& limits = budget_.steady;
    Pays later = [&](const Site& site) {
      return number(site.faults.count) -
             (split.phases.empty() ? 0 : number(faults_in(site, split.phases)));
    };
    std::optional<double> rate, share;
    if (split.settled) rate = split.steady_faults_per_second(), share = split.steady_cost_share();
    Finding steady{.section = "steady", .key = "max_faults_per_second"};
    judge(steady, limits.max_faults_per_second, rate, Unit::count, later, "warm-up never ended");
    steady.key = "max_fault_time_share";
    judge(steady, limits.max_fault_time_share, share, Unit::share, later, "warm-up never ended");
  }

  void check_site(const SiteBudget& limits) {
    std::regex pattern(limits.match);
    SiteSum all;
    for (const SiteSum& sum : sums_)
      if (any_frame_matches(*sum.site, pattern)) all += sum;
    Pays faults = [&](const Site& site) {
      return any_frame_matches(site, pattern) ? number(site.faults.count) : -1;
    };
    auto finding = [&](const char* key) {
      return Finding{.section = "site", .key = key, .subject = limits.match};
    };
    judge(finding("max_faults"), limits.max_faults, number(all.faults.count), Unit::count, faults);
    judge(finding("max_fault_time"), limits.max_fault_time_ns, all.cost_ns, Unit::ns, faults);
    judge(finding("max_cold_handouts"), limits.max_cold_handouts, number(all.cold), Unit::count,
          faults);
    judge(finding("min_warm"), limits.min_warm,
          warm_share(number(all.fresh), number(all.warm), number(all.partial), number(all.cold)),
          Unit::share, faults, all.site ? "no hand-out was looked up" : "no site matches");
    std::optional<double> untouched;
    if (all.handed_out_pages)
      untouched = 1 - number(all.touched_pages) / number(all.handed_out_pages);
    judge(finding("max_untouched"), limits.max_untouched, untouched, Unit::share, faults,
          "no site matches");
    if (!all.site) report_.notes.push_back("no site of this run matches \"" + limits.match + "\"");
  }

  void check_baseline() {
    baseline_finding(diff_->totals.front(), "max_faults", "the whole run", nullptr);
    for (const SiteDiff& site : diff_->sites) {
      if (rose(site.faults()))
        baseline_finding(site.faults(), "max_faults", site_label(*site.pair.any().site), &site);
      else if (touch_moved(site.pair, budget_.baseline, diff_->period))
        touch_finding(site);
    }
  }

  double allowed(const Measure& faults) const {
    double before = faults.before.value_or(0);
    return before +
           allowed_change(before, faults.after.value_or(0), budget_.baseline, diff_->period);
  }
  bool rose(const Measure& faults) const { return faults.after.value_or(0) > allowed(faults); }

  void baseline_finding(const Measure& faults, const char* key, const std::string& subject,
                        const SiteDiff* site) {
    Finding finding{.section = "baseline", .key = key, .subject = subject};
    if (site) finding.blame = blame(*site);
    judge(finding, allowed(faults), faults.after, Unit::count,
          [](const Site& one) { return number(one.faults.count); });
  }

  void touch_finding(const SiteDiff& site) {
    Finding finding{.section = "baseline", .key = "first_touch"};
    finding.subject = site_label(*site.pair.any().site);
    finding.allowed = "by the same code";
    finding.found = "by other code";
    finding.exceeded = true;
    finding.blame = blame(site);
    report_.findings.push_back(std::move(finding));
  }

  // With a baseline, the site whose faults rose most; without, or when none rose, the one that
  // pays most.
  std::optional<Blame> dearest(const Pays& pays) const {
    if (!pays) return std::nullopt;
    const Site* most = nullptr;
    for (const Site& site : run_.sites)
      if (pays(site) > (most ? pays(*most) : 0)) most = &site;
    if (const SiteDiff* rising = most_risen(pays)) return blame(*rising);
    return most ? std::optional(blame(*most)) : std::nullopt;
  }

  const SiteDiff* most_risen(const Pays& pays) const {
    if (!diff_) return nullptr;
    const SiteDiff* most = nullptr;
    double by = 0;
    for (const SiteDiff& site : diff_->sites) {
      if (!site.pair.after || pays(*site.pair.after->site) <= 0) continue;
      if (site.faults().change() > by && rose(site.faults()))
        most = &site, by = site.faults().change();
    }
    return most;
  }

  const Result& run_;
  const Budget& budget_;
  std::vector<SiteSum> sums_;
  std::optional<Diff> diff_;
  CheckReport report_;
};

void note_weaknesses(const Result& run, const Result* baseline, CheckReport& report) {
  auto note = [&](bool holds, const std::string& text) {
    if (holds) report.notes.push_back(text);
  };
  note(!run.run.complete, "the run was cut short: counts end where the trace ends");
  note(run.run.lost_fault_records + run.run.lost_block_records > 0,
       "records were lost: per-site counts may be low");
  note(run.run.fault_period > 1,
       "not every fault was recorded; set faults.period=1 for exact counts");
  if (!baseline) return;
  const Run &was = baseline->run, &is = run.run;
  note(was.fault_source != is.fault_source, "the baseline's faults come from " + was.fault_source +
                                                ", this run's from " + is.fault_source);
  note(was.allocator_name != is.allocator_name,
       "the baseline ran with " + was.allocator_name + ", this run with " + is.allocator_name);
}

}  // namespace

std::string Finding::limit() const {
  std::string text = "[" + section + (section == "site" ? " " + subject : "") + "] " + key;
  return section == "site" || subject.empty() ? text : text + " (" + subject + ")";
}

bool CheckReport::failed() const {
  return std::any_of(findings.begin(), findings.end(), [](auto& one) { return one.exceeded; });
}

CheckReport check_run(const Result& run, const Budget& budget, const Result* baseline) {
  if (baseline && baseline->run.page_bytes != run.run.page_bytes)
    throw BadInput("the baseline was taken with pages of " +
                   bytes_figure(baseline->run.page_bytes) + ", the run with " +
                   bytes_figure(run.run.page_bytes) + "; take a new one with --update-baseline");
  CheckReport report = Checker(run, budget, baseline).report();
  note_weaknesses(run, baseline, report);
  return report;
}

}  // namespace ftprof
