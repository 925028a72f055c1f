// ftprof compare: one program under several allocators and settings, side by side.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>

#include "analyzer/bad_input.h"
#include "analyzer/cli.h"
#include "analyzer/commands.h"
#include "analyzer/compare_runs.h"
#include "analyzer/output.h"
#include "analyzer/print_compare.h"
#include "analyzer/print_compare_html.h"
#include "analyzer/print_html.h"

namespace ftprof {

namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> allocators, variants;
  std::string config, format = "text", output, keep;
  std::vector<std::string> pairs;
  size_t runs = 3;
  bool try_advice = false;
};

// Where the runs go: --keep, else a temporary folder that is removed.
class Workspace {
 public:
  explicit Workspace(const std::string& keep) : path_(keep), temporary_(keep.empty()) {
    std::error_code error;
    if (temporary_) {
      std::string pattern = fs::temp_directory_path(error) / "ftprof.compare.XXXXXX";
      if (mkdtemp(pattern.data())) path_ = pattern;
    } else {
      fs::create_directories(path_, error);
    }
    if (path_.empty() || access(path_.c_str(), W_OK | X_OK) != 0)
      throw BadInput("no folder for the runs: " + (path_.empty() ? "set TMPDIR" : path_) +
                     " is not writable; name one with --keep");
    path_ = fs::absolute(path_).string();
  }
  ~Workspace() {
    std::error_code ignored;
    if (temporary_) fs::remove_all(path_, ignored);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool temporary_;
};

Variant plain_allocator(const std::string& name) {
  Variant variant;
  variant.name = variant.allocator = name;
  return variant;
}

Variant as_it_is() {
  Variant variant;
  variant.name = "as it is";
  return variant;
}

// In the order of the command line: the first is what the others are compared with.
std::vector<Variant> chosen_variants(const CLI::App* sub, const Options& options) {
  Variants known;
  if (!options.config.empty()) known.load(options.config);
  std::vector<Variant> chosen;
  auto allocator = options.allocators.begin();
  auto variant = options.variants.begin();
  for (const CLI::Option* given : sub->parse_order()) {
    if (given->check_name("--allocator")) chosen.push_back(plain_allocator(*allocator++));
    if (given->check_name("--variant")) chosen.push_back(known.find(*variant++));
  }
  return chosen;
}

ComparePlan plan_of(const CLI::App* sub, const Options& options, const Workspace& workspace) {
  ComparePlan plan;
  plan.command = program_of(sub);
  plan.settings = settings_from(options.config, options.pairs);
  plan.rounds = options.runs;
  plan.folder = workspace.path();
  if (isatty(STDERR_FILENO))
    plan.progress = [](const std::string& text) { std::cerr << "\r\033[K" << text << std::flush; };
  return plan;
}

// What the advice can be tried with, from a run of its own.
std::vector<Trial> find_trials(ComparePlan plan, const Variant& base) {
  plan.variants = {base};
  plan.rounds = 1;
  plan.folder += "/advice";
  fs::create_directories(plan.folder);
  CompareRuns runs = run_variants(plan);
  if (runs.variants[0].runs.empty())
    throw BadInput("no advice to try: " + (runs.variants[0].failures.empty()
                                               ? std::string("the run failed")
                                               : runs.variants[0].failures.front()));
  return trials_of(runs.variants[0].runs[0].result);
}

void refuse_useless(size_t variants, bool try_advice) {
  if (!try_advice && variants < 2)
    throw BadInput("compare: name at least two with --allocator or --variant, or --try-advice");
  if (try_advice && variants > 1)
    throw BadInput("--try-advice: name at most one --allocator or --variant, to start from");
}

int exit_status(const Comparison& comparison) {
  return comparison.all_ran() ? kDone : kDiffers;
}

int run_compare(const CLI::App* sub, const Options& options) {
  if (options.format == "html") require_html_page();
  Workspace workspace(options.keep);
  ComparePlan plan = plan_of(sub, options, workspace);
  plan.variants = chosen_variants(sub, options);
  refuse_useless(plan.variants.size(), options.try_advice);
  std::vector<Trial> trials;
  if (options.try_advice) {
    Variant base = plan.variants.empty() ? as_it_is() : plan.variants[0];
    trials = find_trials(plan, base);
    plan.variants = trial_variants(base, trials);
  }
  CompareRuns runs = run_variants(plan);
  plan.progress("");
  Comparison comparison = compare_variants(plan.command, plan.rounds, runs.variants);
  comparison.notes = runs.notes;
  if (options.try_advice) fill_in(trials, runs.variants);
  if (options.try_advice && trials.empty())
    comparison.notes.push_back("no site has advice that an environment variable can try");
  Output output(options.output);
  auto print = options.format == "json"       ? print_compare_json
               : options.format == "markdown" ? print_compare_markdown
               : options.format == "html"     ? print_compare_html
                                              : print_compare_text;
  print(comparison, trials, output.stream());
  output.commit();
  return exit_status(comparison);
}

}  // namespace

void add_compare(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* sub = add_program_subcommand(
      app, "compare", "Run a program under several allocators and settings, side by side",
      "ftprof compare --allocator glibc --variant jemalloc-retain --runs 5 -- ./app");
  sub->add_option("--allocator", options->allocators,
                  "glibc, jemalloc, mimalloc, tcmalloc, libmalloc, or a library's path")
      ->type_name("NAME")
      ->allow_extra_args(false);
  sub->add_option("--variant", options->variants,
                  "An allocator with settings on top, built in or from -c")
      ->type_name("NAME")
      ->allow_extra_args(false);
  sub->add_option("-c,--config", options->config, "Settings and variants of yours, in TOML")
      ->type_name("FILE");
  sub->add_option("--set", options->pairs, "One setting; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  sub->add_option("--runs", options->runs, "Runs of each, interleaved [3]")
      ->check(CLI::Range(1, 100));
  sub->add_flag("--try-advice", options->try_advice,
                "Run with each advice's environment, and show what it saves");
  sub->add_option("--keep", options->keep, "Keep the runs' folders here")->type_name("DIR");
  sub->add_option("--format", options->format, "text, json, markdown or html")
      ->check(CLI::IsMember({"text", "json", "markdown", "html"}));
  sub->add_option("-o,--output", options->output, "Where to write; - is standard output")
      ->type_name("FILE");
  sub->callback([sub, options, &status] { status = run_compare(sub, *options); });
}

}  // namespace ftprof
