// ftprof check: a run held to its budget and to a baseline, for CI.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "analyzer/bad_input.h"
#include "analyzer/cli.h"
#include "analyzer/commands.h"
#include "analyzer/load_report.h"
#include "analyzer/output.h"
#include "analyzer/print_check.h"
#include "analyzer/result_json.h"

namespace ftprof {

namespace {

struct Options {
  std::string run, budget, baseline, junit, format = "text", output;
  bool update_baseline = false;
};

using Print = void (*)(const CheckReport&, std::ostream&);

Print printer(const std::string& format) {
  if (format == "json") return print_check_json;
  if (format == "markdown") return print_check_markdown;
  return print_check_text;
}

void write(const std::string& path, const CheckReport& report, Print print) {
  Output output(path);
  print(report, output.stream());
  output.commit();
}

void write_baseline(const Result& run, const std::string& path) {
  Output output(path);
  write_json(run, output.stream());
  output.commit();
}

// Annotations go to standard error: the runner reads both, and results stay alone on the other.
void annotate(const CheckReport& report) {
  if (!std::getenv("GITHUB_ACTIONS")) return;
  const char* workspace = std::getenv("GITHUB_WORKSPACE");
  print_check_annotations(report, workspace ? workspace : "", std::cerr);
}

void refuse_useless(const Options& options) {
  if (options.budget.empty() && options.baseline.empty())
    throw BadInput("check: nothing to check against; give --budget FILE.toml or --baseline REPORT");
  if (options.update_baseline && options.baseline.empty())
    throw BadInput("--update-baseline: name the file to write with --baseline REPORT.json");
}

int run_check(const Options& options) {
  refuse_useless(options);
  Budget budget = options.budget.empty() ? Budget{} : load_budget(options.budget);
  Result run = load_report(options.run);
  std::optional<Result> baseline;
  if (!options.baseline.empty() && !options.update_baseline)
    baseline = load_report(options.baseline);
  CheckReport report = check_run(run, budget, baseline ? &*baseline : nullptr);
  if (options.update_baseline) write_baseline(run, options.baseline);
  write(options.output, report, printer(options.format));
  if (!options.junit.empty()) write(options.junit, report, print_check_junit);
  annotate(report);
  return report.failed() ? kDiffers : kDone;
}

}  // namespace

void add_check(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = add_subcommand(
      app, "check", "Hold a run to a budget and to a baseline; status 1 when a limit is exceeded",
      "ftprof check ftprof.app.4711 --budget ci.toml --baseline baseline.json --junit ftprof.xml");
  sub->add_option("RUN", options->run, "A run's folder or a JSON report")->required();
  sub->add_option("--budget", options->budget, "Limits in TOML, see docs/ci.md")->type_name("FILE");
  sub->add_option("--baseline", options->baseline, "An earlier run to compare with, site by site")
      ->type_name("REPORT");
  sub->add_flag("--update-baseline", options->update_baseline,
                "Write this run to --baseline instead of comparing with it");
  sub->add_option("--junit", options->junit, "Write the limits as JUnit test cases too")
      ->type_name("FILE");
  sub->add_option("--format", options->format, "text, json or markdown")
      ->check(CLI::IsMember({"text", "json", "markdown"}));
  sub->add_option("-o,--output", options->output, "Where to write; - is standard output")
      ->type_name("FILE");
  sub->callback([options, &status] { status = run_check(*options); });
}

}  // namespace ftprof
