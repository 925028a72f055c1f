// The runs of one program under several variants, side by side. The first variant is the one that
// the others are compared with.
//
// Made from finished runs; compare_runs.h makes those. Printers read only this.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/diff.h"
#include "analyzer/statistics.h"
#include "analyzer/variants.h"

namespace ftprof {

// One run that ended as it should.
struct GoodRun {
  Result result;
  double wall_ns = 0, cpu_ns = 0;
  double peak_resident_bytes = 0;
};

struct VariantRuns {
  Variant variant;
  std::vector<GoodRun> runs;
  std::vector<std::string> failures;  // a sentence for each run that failed
};

// One quantity of one variant over its runs.
struct Sample {
  std::string name;  // as in the JSON: "fault_cost_ns"
  Unit unit = Unit::count;
  std::vector<double> values;
  // Against the first variant; unknown for the first itself.
  Noise noise = Noise::unknown;
  double change = 0;  // of the medians

  double middle() const { return median(values); }
  double spread() const;  // half the range, as a share of the median
};

struct VariantColumn {
  Variant variant;
  size_t runs = 0;
  std::vector<std::string> failures;
  std::vector<Sample> samples;  // the same names in the same order in all columns

  const Sample* sample(const std::string& name) const;
};

// A site's faults in the median run of each variant; absent where the variant has no run.
struct SiteRow {
  std::string id, label, stack;
  std::vector<Frame> frames;  // innermost first
  size_t top = 0;             // index of the first frame that is the program's own
  std::vector<std::optional<double>> faults, cost_ns;
  double range = 0;  // largest less smallest
};

struct Comparison {
  std::vector<std::string> command;
  size_t rounds = 0;
  std::vector<VariantColumn> columns;
  std::vector<SiteRow> sites;          // largest range first
  std::vector<std::string> sentences;  // which differences exceed the noise
  std::vector<std::string> notes;

  bool all_ran() const;  // no run failed
};

Comparison compare_variants(const std::vector<std::string>& command, size_t rounds,
                            const std::vector<VariantRuns>& variants);

// How differences are told from noise, for `rounds` runs of each.
const char* noise_rule(size_t rounds);

}  // namespace ftprof
