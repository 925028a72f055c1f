// Two runs of the same program, side by side: the totals, then each site beside what it was.
//
// diff(A, A) is all zero and diff(A, B) is -diff(B, A): nothing here judges but differs().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/match.h"
#include "analyzer/tolerance.h"

namespace ftprof {

enum class Unit { count, ns, bytes, share };

// One quantity in both runs; absent where it is not known.
struct Measure {
  std::string name;  // as in the JSON report: "purged_pages"
  Unit unit = Unit::count;
  std::optional<double> before, after;

  double change() const { return after.value_or(0) - before.value_or(0); }
};

std::string figure(const std::optional<double>& value, Unit unit);  // "–" when absent
std::string change_figure(const Measure& measure);                  // "+12 (+3.0 %)", "=" for none

struct SiteDiff {
  SitePair pair;
  std::vector<Measure> measures;  // the first is the site's faults
  std::vector<std::string> why;   // what changed, in words; see changes.h

  const Measure& faults() const { return measures.front(); }
};

struct Diff {
  Diff(const Result& before, const Result& after);
  // The sums point into themselves.
  Diff(const Diff&) = delete;
  Diff& operator=(const Diff&) = delete;

  std::vector<Measure> totals;  // the first is the faults without the profiler's own
  std::vector<SiteDiff> sites;  // largest change in faults first
  double period = 1;            // of both runs, on average

  // Whether a count of faults, or any site, is beyond the tolerance in either direction.
  bool differs(const Tolerance& tolerance) const;
  bool differs(const Measure& faults, const Tolerance& tolerance) const;

 private:
  std::vector<SiteSum> sums_before_, sums_after_;
};

// Minor and major faults without the profiler's own, and what they cost.
uint64_t program_faults(const Ledger& ledger);
double program_cost_ns(const Ledger& ledger);
std::vector<Measure> total_measures(const Result& before, const Result& after);
std::vector<Measure> site_measures(const SitePair& pair);

}  // namespace ftprof
