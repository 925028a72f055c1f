#include "analyzer/compare.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "analyzer/figures.h"

namespace ftprof {

namespace {

struct Quantity {
  const char* name;
  Unit unit;
  double (*of)(const GoodRun&);
};

double number(uint64_t count) {
  return static_cast<double>(count);
}

// What is put side by side, in the order of the tables.
constexpr Quantity kQuantities[] = {
    {"faults", Unit::count,
     [](const GoodRun& r) { return number(program_faults(r.result.ledger)); }},
    {"fault_cost_ns", Unit::ns, [](const GoodRun& r) { return program_cost_ns(r.result.ledger); }},
    {"wall_ns", Unit::ns, [](const GoodRun& r) { return r.wall_ns; }},
    {"cpu_ns", Unit::ns, [](const GoodRun& r) { return r.cpu_ns; }},
    {"peak_resident_bytes", Unit::bytes, [](const GoodRun& r) { return r.peak_resident_bytes; }},
    {"final_resident_bytes", Unit::bytes,
     [](const GoodRun& r) { return number(r.result.run.final_resident_bytes); }},
    {"handouts", Unit::count, [](const GoodRun& r) { return number(r.result.pool.handouts); }},
    {"fresh", Unit::count, [](const GoodRun& r) { return number(r.result.pool.fresh); }},
    {"warm", Unit::count, [](const GoodRun& r) { return number(r.result.pool.warm); }},
    {"partial", Unit::count, [](const GoodRun& r) { return number(r.result.pool.partial); }},
    {"cold", Unit::count, [](const GoodRun& r) { return number(r.result.pool.cold); }},
    {"purged_pages", Unit::count,
     [](const GoodRun& r) { return number(r.result.pool.purged_pages); }},
    {"refaulted_after_purge_pages", Unit::count,
     [](const GoodRun& r) { return number(r.result.pool.refaulted_after_purge_pages); }},
};

VariantColumn column(const VariantRuns& runs) {
  VariantColumn made{runs.variant, runs.runs.size(), runs.failures, {}};
  for (const Quantity& quantity : kQuantities) {
    Sample& sample = made.samples.emplace_back();
    sample.name = quantity.name;
    sample.unit = quantity.unit;
    for (const GoodRun& run : runs.runs) sample.values.push_back(quantity.of(run));
  }
  return made;
}

// What is the same but for a few faults or a little memory is the same, however little it varies.
bool matters(const Sample& reference, const Sample& sample) {
  if (sample.unit == Unit::ns) return true;
  double before = reference.middle(), after = sample.middle();
  Tolerance tolerance;
  if (sample.unit == Unit::bytes) tolerance.slack = 0;
  return std::fabs(after - before) >
         allowed_change(std::min(before, after), std::max(before, after), tolerance);
}

void judge(const VariantColumn& reference, VariantColumn& other) {
  for (size_t i = 0; i < other.samples.size(); ++i) {
    const Sample& before = reference.samples[i];
    Sample& after = other.samples[i];
    after.change = after.middle() - before.middle();
    after.noise = compare_samples(before.values, after.values);
    if (after.noise == Noise::beyond && !matters(before, after)) after.noise = Noise::within;
  }
}

// The run whose faults are the median of its variant's.
const GoodRun* median_run(const VariantRuns& variant) {
  std::vector<const GoodRun*> runs;
  for (const GoodRun& run : variant.runs) runs.push_back(&run);
  if (runs.empty()) return nullptr;
  auto middle = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
  std::nth_element(runs.begin(), middle, runs.end(), [](auto* a, auto* b) {
    return program_faults(a->result.ledger) < program_faults(b->result.ledger);
  });
  return *middle;
}

std::vector<SiteRow> site_rows(const std::vector<VariantRuns>& variants) {
  std::map<std::vector<std::string>, SiteRow> rows;
  for (size_t i = 0; i < variants.size(); ++i) {
    const GoodRun* run = median_run(variants[i]);
    if (!run) continue;
    for (const SiteSum& sum : sum_sites(run->result)) {
      SiteRow& row = rows[sum.names];
      row.faults.resize(variants.size());
      row.faults[i] = number(sum.faults.count);
      row.cost_ns.resize(variants.size());
      row.cost_ns[i] = sum.cost_ns;
      if (row.id.empty()) {
        row.id = sum.site->id;
        row.label = site_label(*sum.site);
        row.stack = stack_line(*sum.site);
        row.frames = sum.site->stack;
        row.top = sum.site->top;
      }
    }
  }
  std::vector<SiteRow> sorted;
  for (auto& [names, row] : rows) {
    std::vector<double> known;
    for (size_t i = 0; i < variants.size(); ++i) {
      if (!variants[i].runs.empty() && !row.faults[i]) row.faults[i] = row.cost_ns[i] = 0;
      if (row.faults[i]) known.push_back(*row.faults[i]);
    }
    row.range = largest(known) - smallest(known);
    sorted.push_back(std::move(row));
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](auto& a, auto& b) { return a.range > b.range; });
  return sorted;
}

std::string difference(const Sample& before, const Sample& after) {
  std::string text = signed_figure(after.change, after.unit == Unit::ns      ? time_figure
                                                 : after.unit == Unit::bytes ? bytes_figure
                                                                             : count_figure);
  if (before.middle() == 0) return text;
  return text + " (" + signed_figure(after.change / before.middle(), share_figure) + ")";
}

// "jemalloc against glibc: faults −1,200 (−30 %), peak resident set …; within the noise: wall
// time."
std::string sentence(const VariantColumn& reference, const VariantColumn& other) {
  static constexpr std::pair<const char*, const char*> kNamed[] = {
      {"faults", "faults"},
      {"fault_cost_ns", "fault time"},
      {"wall_ns", "wall time"},
      {"cpu_ns", "CPU time"},
      {"peak_resident_bytes", "peak resident set"}};
  std::string beyond, within;
  for (const auto& [name, words] : kNamed) {
    const Sample &before = *reference.sample(name), &after = *other.sample(name);
    if (after.noise == Noise::beyond)
      beyond += (beyond.empty() ? "" : ", ") + std::string(words) + " " + difference(before, after);
    if (after.noise == Noise::within) within += (within.empty() ? "" : ", ") + std::string(words);
  }
  std::string text = other.variant.name + " against " + reference.variant.name + ": ";
  if (beyond.empty() && within.empty())
    return text + "too few runs ended as they should to tell a difference from noise";
  if (within.empty()) return text + beyond;
  return text + beyond + (beyond.empty() ? "" : "; ") + "within the noise: " + within;
}

}  // namespace

double Sample::spread() const {
  double middle_value = middle();
  return middle_value > 0 ? (largest(values) - smallest(values)) / 2 / middle_value : 0;
}

const Sample* VariantColumn::sample(const std::string& name) const {
  for (const Sample& one : samples)
    if (one.name == name) return &one;
  return nullptr;
}

bool Comparison::all_ran() const {
  return std::all_of(columns.begin(), columns.end(),
                     [](auto& one) { return one.failures.empty() && one.runs > 0; });
}

Comparison compare_variants(const std::vector<std::string>& command, size_t rounds,
                            const std::vector<VariantRuns>& variants) {
  Comparison made;
  made.command = command;
  made.rounds = rounds;
  for (const VariantRuns& runs : variants) made.columns.push_back(column(runs));
  made.sites = site_rows(variants);
  for (size_t i = 1; i < made.columns.size(); ++i) {
    VariantColumn &reference = made.columns[0], &other = made.columns[i];
    if (reference.runs == 0 || other.runs == 0) continue;
    judge(reference, other);
    if (rounds > 1) made.sentences.push_back(sentence(reference, other));
  }
  if (rounds == 1)
    made.sentences.push_back(
        "one run of each shows no spread; --runs 5 tells differences from noise");
  return made;
}

const char* noise_rule(size_t rounds) {
  if (rounds >= 4) return "Mann-Whitney, two-sided, 5 %";
  if (rounds >= 2) return "the ranges do not overlap";
  return "none: one run has no spread";
}

}  // namespace ftprof
