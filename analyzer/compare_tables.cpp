#include "analyzer/compare_tables.h"

#include <algorithm>
#include <cmath>

#include "analyzer/figures.h"

namespace ftprof {

namespace {

using Align = Table::Align;

constexpr size_t kSitesShown = 12;
constexpr double kSiteShare = 0.02;  // of the first variant's faults

struct Heading {
  const char* title;
  const char* sample;
  bool with_spread = false;
};

constexpr Heading kBill[] = {{"faults", "faults"},
                             {"fault time", "fault_cost_ns"},
                             {"wall time", "wall_ns", true},
                             {"CPU time", "cpu_ns", true},
                             {"peak RSS", "peak_resident_bytes"},
                             {"final RSS", "final_resident_bytes"}};
constexpr Heading kHandOuts[] = {{"hand-outs", "handouts"},
                                 {"fresh", "fresh"},
                                 {"warm", "warm"},
                                 {"partial", "partial"},
                                 {"cold", "cold"},
                                 {"purged pages", "purged_pages"},
                                 {"refaulted", "refaulted_after_purge_pages"}};

std::string cell(const VariantColumn& column, const Heading& heading) {
  const Sample& sample = *column.sample(heading.sample);
  if (sample.values.empty()) return "–";
  std::string text = figure(sample.middle(), sample.unit);
  if (heading.with_spread && sample.values.size() > 1)
    text += " ±" + std::to_string(std::lround(100 * sample.spread())) + " %";
  return sample.noise == Noise::beyond ? text + "*" : text;
}

Table by_variant(const Comparison& comparison, const auto& headings) {
  Table table{{{"variant", Align::left, 24, true}}, {}};
  for (const Heading& heading : headings) table.columns.push_back({heading.title, Align::right});
  for (const VariantColumn& column : comparison.columns) {
    auto& row = table.rows.emplace_back();
    row.push_back(column.variant.name);
    for (const Heading& heading : headings) row.push_back(cell(column, heading));
  }
  return table;
}

// Where a program's luck decides which caller meets a growing heap, a handful of faults wanders
// from site to site.
bool worth_showing(const Comparison& comparison, const SiteRow& site) {
  const Sample& all = *comparison.columns[0].sample("faults");
  return site.range > 0 && (all.values.empty() || site.range >= kSiteShare * all.middle());
}

// Two sites of the same function are told apart by their callers.
std::string name_of(const Comparison& comparison, const SiteRow& site) {
  auto alike = std::count_if(comparison.sites.begin(), comparison.sites.end(), [&](auto& other) {
    return other.label == site.label && worth_showing(comparison, other);
  });
  return alike > 1 ? site.stack : site.label;
}

Table by_site(const Comparison& comparison) {
  Table table;
  for (const VariantColumn& column : comparison.columns)
    table.columns.push_back({column.variant.name, Align::right});
  table.columns.push_back({"faults of the sites that differ most", Align::left, 0, true});
  for (const SiteRow& site : comparison.sites) {
    if (!worth_showing(comparison, site) || table.rows.size() == kSitesShown) break;
    auto& row = table.rows.emplace_back();
    for (const auto& faults : site.faults) row.push_back(figure(faults, Unit::count));
    row.push_back(name_of(comparison, site));
  }
  return table;
}

// Beside a measured saving of next to nothing a ratio says less than a word.
std::string off_by(const std::optional<double>& predicted, const std::optional<double>& measured) {
  constexpr double kNothing = 0.02;
  if (!predicted || !measured || *predicted == 0) return "–";
  if (*measured < kNothing * *predicted) return "not saved";
  return signed_figure(*predicted / *measured - 1, share_figure);
}

std::string setting(const Trial& trial) {
  std::string text;
  for (const auto& [name, value] : trial.env)
    text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

Table by_trial(const std::vector<Trial>& trials) {
  Table table{{{"advice"},
               {"faults predicted", Align::right},
               {"measured", Align::right},
               {"off by", Align::right},
               {"time predicted", Align::right},
               {"measured", Align::right},
               {"off by", Align::right},
               {"tried with", Align::left, 0, true}},
              {}};
  for (const Trial& trial : trials)
    table.rows.push_back({trial.kind, count_figure(trial.predicted_faults),
                          figure(trial.measured_faults, Unit::count),
                          off_by(trial.predicted_faults, trial.measured_faults),
                          figure(trial.predicted_ns, Unit::ns), figure(trial.measured_ns, Unit::ns),
                          off_by(trial.predicted_ns, trial.measured_ns), setting(trial)});
  return table;
}

}  // namespace

std::vector<Table> compare_tables(const Comparison& comparison, const std::vector<Trial>& trials) {
  std::vector<Table> tables = {by_variant(comparison, kBill), by_variant(comparison, kHandOuts)};
  tables.push_back(by_site(comparison));
  tables.push_back(by_trial(trials));
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  return tables;
}

}  // namespace ftprof
