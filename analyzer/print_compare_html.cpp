#include "analyzer/print_compare_html.h"

#include "analyzer/page_data.h"
#include "analyzer/page_tables.h"
#include "analyzer/print_html.h"

namespace ftprof {

namespace {

using Json = nlohmann::json;

Json texts(const std::vector<std::string>& lines) {
  Json made = Json::array();
  for (const std::string& line : lines) made.push_back(valid_utf8(line));
  return made;
}

Json texts(const std::map<std::string, std::string>& pairs) {
  Json made = Json::object();
  for (const auto& [key, value] : pairs) made[valid_utf8(key)] = valid_utf8(value);
  return made;
}

const char* unit_name(Unit unit) {
  switch (unit) {
    case Unit::ns:
      return "ns";
    case Unit::bytes:
      return "bytes";
    case Unit::share:
      return "share";
    default:
      return "count";
  }
}

const char* noise_name(Noise noise) {
  return noise == Noise::beyond ? "beyond" : noise == Noise::within ? "within" : "unknown";
}

Json maybe(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json column_data(const VariantColumn& column) {
  Json samples = Json::array();
  for (const Sample& sample : column.samples)
    samples.push_back({{"name", sample.name},
                       {"unit", unit_name(sample.unit)},
                       {"values", sample.values},
                       {"middle", sample.middle()},
                       {"noise", noise_name(sample.noise)},
                       {"change", sample.change}});
  return {{"name", valid_utf8(column.variant.name)},
          {"description", valid_utf8(column.variant.description)},
          {"env", texts(column.variant.env)},
          {"runs", column.runs},
          {"failures", texts(column.failures)},
          {"samples", samples}};
}

// Sites as the page's tables have them, and a column of faults and of cost for each variant.
Json site_data(const Comparison& comparison, PageTables& tables) {
  Json none = Json::array();
  Json id = none, leaf = none, top = none, faults = none, cost = none;
  for (const SiteRow& site : comparison.sites) {
    id.push_back(site.id);
    leaf.push_back(tables.stack(site.frames));
    top.push_back(site.top);
  }
  for (size_t i = 0; i < comparison.columns.size(); i++) {
    Json of_variant = none, cost_of_variant = none;
    for (const SiteRow& site : comparison.sites) {
      of_variant.push_back(i < site.faults.size() ? maybe(site.faults[i]) : Json());
      cost_of_variant.push_back(i < site.cost_ns.size() ? maybe(site.cost_ns[i]) : Json());
    }
    faults.push_back(of_variant);
    cost.push_back(cost_of_variant);
  }
  return {{"id", id}, {"leaf", leaf}, {"top", top}, {"faults", faults}, {"cost", cost}};
}

Json trial_data(const std::vector<Trial>& trials) {
  Json made = Json::array();
  for (const Trial& trial : trials)
    made.push_back({{"kind", trial.kind},
                    {"env", texts(trial.env)},
                    {"sites", texts(trial.sites)},
                    {"predicted_faults", trial.predicted_faults},
                    {"predicted_ns", maybe(trial.predicted_ns)},
                    {"measured_faults", maybe(trial.measured_faults)},
                    {"measured_ns", maybe(trial.measured_ns)}});
  return made;
}

}  // namespace

void print_compare_html(const Comparison& comparison, const std::vector<Trial>& trials,
                        std::ostream& out) {
  PageTables tables;
  Json columns = Json::array();
  for (const VariantColumn& column : comparison.columns) columns.push_back(column_data(column));
  Json data = {{"format", kPageFormat},
               {"kind", "compare"},
               {"command", texts(comparison.command)},
               {"rounds", comparison.rounds},
               {"noise_rule", noise_rule(comparison.rounds)},
               {"columns", columns},
               {"sites", site_data(comparison, tables)},
               {"sentences", texts(comparison.sentences)},
               {"notes", texts(comparison.notes)},
               {"trials", trial_data(trials)}};
  data.update(tables.to_json());
  print_page(out, data);
}

}  // namespace ftprof
