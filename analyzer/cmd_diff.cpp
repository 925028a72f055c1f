// ftprof diff: two runs side by side.
#include <CLI/CLI.hpp>
#include <memory>

#include "analyzer/bad_input.h"
#include "analyzer/cli.h"
#include "analyzer/commands.h"
#include "analyzer/load_report.h"
#include "analyzer/output.h"
#include "analyzer/print_diff.h"
#include "analyzer/quantity.h"

namespace ftprof {

namespace {

struct Options {
  std::string before, after, format = "text", output, tolerance = "2%";
  DiffView view;
};

void print(const Diff& diff, const Options& options, std::ostream& out) {
  if (options.format == "json") return print_diff_json(diff, options.view, out);
  if (options.format == "csv") return print_diff_csv(diff, options.view, out);
  if (options.format == "markdown") return print_diff_markdown(diff, options.view, out);
  print_diff_text(diff, options.view, out);
}

int run_diff(Options& options) {
  auto share = parse_share(options.tolerance);
  if (!share) throw BadInput("--tolerance " + options.tolerance + ": give a share, as in 2%");
  options.view.tolerance.share = *share;
  options.view.before = options.before;
  options.view.after = options.after;
  Result before = load_report(options.before), after = load_report(options.after);
  Diff diff(before, after);
  Output output(options.output);
  print(diff, options, output.stream());
  output.commit();
  return diff.differs(options.view.tolerance) ? kDiffers : kDone;
}

}  // namespace

void add_diff(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = add_subcommand(
      app, "diff", "Puts two runs side by side, site by site; status 1 when they differ",
      "ftprof diff ftprof.app.4711 ftprof.app.4712 --tolerance 5%");
  sub->add_option("BEFORE", options->before, "A run's folder or a JSON report")->required();
  sub->add_option("AFTER", options->after, "The one to compare with it")->required();
  sub->add_option("--format", options->format, "text, json, csv or markdown")
      ->check(CLI::IsMember({"text", "json", "csv", "markdown"}));
  sub->add_option("-o,--output", options->output, "Where to write; - is standard output");
  sub->add_option("--tolerance", options->tolerance, "The change in faults that is none [2%]");
  sub->add_option("--slack", options->view.tolerance.slack, "Faults that never matter [32]")
      ->check(CLI::NonNegativeNumber);
  sub->add_option("--top", options->view.top, "Sites shown as text or markdown; 0 is all [20]");
  sub->callback([options, &status] { status = run_diff(*options); });
}

}  // namespace ftprof
