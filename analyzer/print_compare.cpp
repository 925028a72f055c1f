#include "analyzer/print_compare.h"

#include <algorithm>
#include <cmath>

#include "analyzer/compare_tables.h"
#include "analyzer/escape.h"
#include "analyzer/json_writer.h"

namespace ftprof {

namespace {

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : between) + word;
  return all;
}

// Every sentence below the tables, those that matter most first.
std::vector<std::string> remarks(const Comparison& comparison) {
  std::vector<std::string> said = comparison.sentences;
  for (const VariantColumn& column : comparison.columns) {
    for (const std::string& failure : column.failures)
      said.push_back("FAILED " + column.variant.name + ": " + failure);
    if (column.runs == 0)
      said.push_back("FAILED " + column.variant.name + ": no run of it can be shown");
  }
  for (const std::string& note : comparison.notes) said.push_back("Note: " + note);
  return said;
}

std::string heading(const Comparison& comparison) {
  std::string runs =
      std::to_string(comparison.rounds) + (comparison.rounds == 1 ? " run" : " runs");
  std::string text = joined(comparison.command, " ") + ": " + runs + " each";
  if (comparison.rounds == 1) return text;
  return text + ", interleaved; medians; * is beyond the noise: " + noise_rule(comparison.rounds);
}

void json_texts(const char* name, const std::vector<std::string>& texts, JsonWriter& out) {
  out.key(name);
  out.begin_array();
  for (const std::string& text : texts) out.value(text);
  out.end_array();
}

void json_env(const std::map<std::string, std::string>& env, JsonWriter& out) {
  out.key("env");
  out.begin_object();
  for (const auto& [name, value] : env) out.member(name, value);
  out.end_object();
}

void json_maybe(const char* name, const std::optional<double>& value, JsonWriter& out) {
  out.key(name);
  value ? out.value(*value) : out.null();
}

void json_sample(const Sample& sample, JsonWriter& out) {
  out.key(sample.name);
  out.begin_object();
  bool known = !sample.values.empty();
  json_maybe("median", known ? std::optional(sample.middle()) : std::nullopt, out);
  json_maybe("min", known ? std::optional(smallest(sample.values)) : std::nullopt, out);
  json_maybe("max", known ? std::optional(largest(sample.values)) : std::nullopt, out);
  out.key("values");
  out.begin_array();
  for (double value : sample.values) out.value(value);
  out.end_array();
  bool judged = sample.noise != Noise::unknown;
  out.key("beyond_noise");
  judged ? out.value(sample.noise == Noise::beyond) : out.null();
  out.end_object();
}

void json_variant(const VariantColumn& column, JsonWriter& out) {
  out.begin_object();
  out.member("name", column.variant.name);
  out.member("allocator", column.variant.allocator);
  out.member("description", column.variant.description);
  json_env(column.variant.env, out);
  out.member("runs", column.runs);
  json_texts("failures", column.failures, out);
  out.key("measures");
  out.begin_object();
  for (const Sample& sample : column.samples) json_sample(sample, out);
  out.end_object();
  out.end_object();
}

void json_site(const SiteRow& row, JsonWriter& out) {
  out.begin_object();
  out.member("id", row.id);
  out.member("label", row.label);
  out.member("stack", row.stack);
  out.key("faults");
  out.begin_array();
  for (const auto& faults : row.faults) faults ? out.value(*faults) : out.null();
  out.end_array();
  out.end_object();
}

void json_trial(const Trial& trial, JsonWriter& out) {
  out.begin_object();
  out.member("kind", trial.kind);
  json_env(trial.env, out);
  json_texts("sites", trial.sites, out);
  out.member("predicted_faults", trial.predicted_faults);
  json_maybe("measured_faults", trial.measured_faults, out);
  json_maybe("predicted_ns", trial.predicted_ns, out);
  json_maybe("measured_ns", trial.measured_ns, out);
  out.end_object();
}

}  // namespace

void print_compare_text(const Comparison& comparison, const std::vector<Trial>& trials,
                        std::ostream& out) {
  out << printable(heading(comparison)) << '\n';
  for (const Table& table : compare_tables(comparison, trials)) {
    out << '\n';
    print_table_text(table, out);
  }
  out << '\n';
  for (const std::string& remark : remarks(comparison)) out << printable(remark) << ".\n";
}

void print_compare_markdown(const Comparison& comparison, const std::vector<Trial>& trials,
                            std::ostream& out) {
  out << markdown_text(heading(comparison)) << "\n";
  for (const Table& table : compare_tables(comparison, trials)) {
    out << '\n';
    print_table_markdown(table, out);
  }
  out << '\n';
  for (const std::string& remark : remarks(comparison))
    out << "- " << markdown_text(remark) << ".\n";
}

void print_compare_json(const Comparison& comparison, const std::vector<Trial>& trials,
                        std::ostream& out) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.member("schema", "ftprof.compare/1");
  json_texts("command", comparison.command, writer);
  writer.member("rounds", comparison.rounds);
  writer.member("noise_rule", noise_rule(comparison.rounds));
  writer.key("variants");
  writer.begin_array();
  for (const VariantColumn& column : comparison.columns) json_variant(column, writer);
  writer.end_array();
  writer.key("sites");
  writer.begin_array();
  for (const SiteRow& row : comparison.sites) json_site(row, writer);
  writer.end_array();
  writer.key("trials");
  writer.begin_array();
  for (const Trial& trial : trials) json_trial(trial, writer);
  writer.end_array();
  json_texts("sentences", comparison.sentences, writer);
  json_texts("notes", comparison.notes, writer);
  writer.end_object();
  writer.finish();
}

}  // namespace ftprof
