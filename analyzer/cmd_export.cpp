// ftprof export: a run for the tools that people already use.
#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "analyzer/bad_input.h"
#include "analyzer/cli.h"
#include "analyzer/commands.h"
#include "analyzer/export.h"
#include "analyzer/load_report.h"
#include "analyzer/output.h"

namespace ftprof {

namespace {

struct Options {
  std::string run, format, output, table, value = "fault_time";
  size_t top = 20;
};

using Write = std::function<void(std::ostream&, const Result&, const Options&)>;

SampleValue value_named(const std::string& name) {
  for (int i = 0; i < kSampleValues; i++)
    if (name == kSampleTypes[i].name) return static_cast<SampleValue>(i);
  throw BadInput("--value " + name + ": give faults, fault_time, first_touch or warm");
}

const std::map<std::string, Write>& formats() {
  static const std::map<std::string, Write> all = {
      {"pprof", [](auto& out, auto& run, auto&) { export_pprof(out, run); }},
      {"speedscope", [](auto& out, auto& run, auto&) { export_speedscope(out, run); }},
      {"folded", [](auto& out, auto& run,
                    auto& options) { export_folded(out, run, value_named(options.value)); }},
      {"perfetto", [](auto& out, auto& run, auto&) { export_perfetto(out, run); }},
      {"openmetrics",
       [](auto& out, auto& run, auto& options) { export_openmetrics(out, run, options.top); }},
      {"sqlite", [](auto& out, auto& run, auto&) { export_sqlite(out, run); }},
      {"csv",
       [](auto& out, auto& run, auto& options) { export_csv_table(out, run, options.table); }},
  };
  return all;
}

int run_export(const Options& options) {
  bool folder = options.format == "csv" && options.table.empty();
  if (folder && options.output == "-")
    throw BadInput("--format csv makes a folder of tables: name it with -o, or name one --table");
  Result result = load_report(options.run);
  if (folder) {
    export_csv_folder(options.output, result);
    return kDone;
  }
  Output output(options.output);
  formats().at(options.format)(output.stream(), result, options);
  output.commit();
  return kDone;
}

std::set<std::string> format_names() {
  std::set<std::string> names;
  for (const auto& [name, write] : formats()) names.insert(name);
  return names;
}

}  // namespace

void add_export(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = add_subcommand(app, "export", "Write a run for pprof, perfetto, SQL and others",
                                 "ftprof export ftprof.app.4711 --format pprof -o app.pb.gz");
  sub->add_option("RUN", options->run, "A run's folder or a JSON report")->required();
  sub->add_option("--format", options->format,
                  "pprof, speedscope, folded, perfetto, openmetrics, sqlite or csv")
      ->required()
      ->check(CLI::IsMember(format_names()));
  sub->add_option("-o,--output", options->output,
                  "Where to write (csv: a folder); - is standard output")
      ->required();
  sub->add_option("--value", options->value,
                  "folded: faults, fault_time, first_touch or warm [fault_time]");
  sub->add_option("--top", options->top, "openmetrics: how many sites [20]");
  sub->add_option("--table", options->table, "csv: this table alone");
  sub->callback([options, &status] { status = run_export(*options); });
}

}  // namespace ftprof
