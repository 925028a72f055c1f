// ftprof report: what a run came to.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>

#include "analyzer/analyze.h"
#include "analyzer/bad_input.h"
#include "analyzer/cli.h"
#include "analyzer/commands.h"
#include "analyzer/output.h"
#include "analyzer/print_csv.h"
#include "analyzer/print_html.h"
#include "analyzer/print_text.h"
#include "analyzer/result_json.h"
#include "analyzer/terminal.h"

namespace ftprof {
namespace {

struct Options {
  std::vector<std::string> folders;
  std::string format = "text", output;
  AnalyzeOptions analyze;
  TextView view;
  bool follow = false;
};

constexpr unsigned kRefreshSeconds = 2;

const std::map<std::string, By> kBy = {
    {"site", By::site},       {"touch", By::touch}, {"thread", By::thread}, {"module", By::module},
    {"process", By::process}, {"phase", By::phase}, {"pool", By::pool}};

// A terminal is as wide as it is; whatever else reads the report gets 100 columns.
void fit_terminal(TextView& view) {
  constexpr size_t kLeast = 60, kMost = 200;
  if (auto width = terminal_width()) view.width = std::clamp(*width, kLeast, kMost);
  view.colour = terminal_colour();
}

void print(const Result& result, Options& options, std::ostream& out) {
  if (options.format == "json") return write_json(result, out);
  if (options.format == "html") return print_html(out, result);
  if (options.format == "csv") return print_csv(result, options.view, out);
  if (options.format == "markdown") return print_markdown(result, options.view, out);
  if (options.output.empty() || options.output == "-") fit_terminal(options.view);
  print_text(result, options.view, out);
}

// Reads the run and prints it; whether it has come to its end.
bool report_once(Options& options) {
  Result result;
  {
    ProgressBar bar;
    options.analyze.progress = [&bar](double share) { bar.show(share); };
    result = analyze(options.folders, options.analyze);
  }
  if (options.follow) clear_terminal();
  Output output(options.output);
  print(result, options, output.stream());
  output.commit();
  return result.run.complete;
}

int report(Options& options) {
  if (options.format == "html") require_html_page();
  while (!report_once(options) && options.follow) sleep(kRefreshSeconds);
  return kDone;
}

}  // namespace

void add_report(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = add_subcommand(
      app, "report", "Shows which sites paid for first touches, what it cost, and to whom it went",
      "ftprof report ftprof.app.4711 --by thread");
  sub->add_option("DIR", options->folders, "A run's folder; several are merged")->required();
  sub->add_option("--format", options->format, "text, json, csv, markdown or html")
      ->check(CLI::IsMember({"text", "json", "csv", "markdown", "html"}));
  sub->add_option_function<std::string>(
         "--by", [options](const std::string& key) { options->view.by = kBy.at(key); },
         "site, touch, thread, module, process, phase or pool [site]")
      ->check(CLI::IsMember(kBy));
  sub->add_option("--top", options->view.top, "Rows shown; else those that make 95 % of the bill")
      ->check(CLI::Range(1, 1'000'000));
  sub->add_flag("--all", options->view.all, "Shows every row");
  sub->add_flag("--raw", options->view.raw, "Shows the frames of allocators and C++ libraries too");
  sub->add_flag("--follow", options->follow,
                "Reads a run that goes on again and again, until it ends");
  sub->add_flag("--debuginfod", options->analyze.symbols.debuginfod,
                "Asks the servers of DEBUGINFOD_URLS for missing debug files");
  sub->add_option("-o,--output", options->output, "Where to write; - is standard output");
  sub->callback([options, &status] { status = report(*options); });
}

}  // namespace ftprof
