// ftprof run: runs a program under the library, as itself: same terminal, signals, exit status.
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "analyzer/bad_input.h"
#include "analyzer/cli.h"
#include "analyzer/commands.h"
#include "analyzer/profiled_run.h"
#include "analyzer/program.h"

namespace ftprof {
namespace {

constexpr int kNotFound = 127, kNotExecutable = 126;

struct Options {
  std::string output, config, allocator;
  std::vector<std::string> pairs;
  bool quiet = false, report = false;
};

int cannot_start(const std::string& program, int error) {
  bool missing = error == ENOENT;
  print_line("run: " + program +
             (missing ? " is not there; give its path, or mind $PATH"
                      : std::string(" cannot be executed (") + std::strerror(error) + ")"));
  return missing ? kNotFound : kNotExecutable;
}

// In one line: where the trace is and how to read it, or why there is none.
void say_where(const RunDone& done, const std::string& min_size) {
  if (done.has_trace)
    print_line("trace in " + done.folder + "; read it with: ftprof report " + done.folder);
  else
    print_line(
        "nothing was recorded in " + done.folder + ": no block of " + min_size +
        " or more was made where the library sees it (--set blocks.min_size=… for smaller ones)");
}

// In a process of its own, so that nothing it meets changes how we exit.
void print_report(const std::string& folder) {
  run_child({"/proc/self/exe", "report", folder}, {});
}

int run(const CLI::App* sub, const Options& options) {
  RunPlan plan;
  plan.command = program_of(sub);
  plan.settings = settings_from(options.config, options.pairs);
  plan.allocator = options.allocator;
  if (!options.output.empty()) plan.settings.set("output.dir", options.output, "-o");
  std::string level = plan.settings.get("log.level");
  bool quiet = options.quiet || level == "off" || level == "error";

  FoundProgram found = find_program(plan.command[0]);
  if (found.path.empty()) return cannot_start(plan.command[0], found.error);
  std::string hidden = out_of_reach(found.path);
  if (!hidden.empty()) print_line(hidden);
  RunDone done = run_profiled(plan);
  if (done.outcome.exec_error) return cannot_start(plan.command[0], done.outcome.exec_error);
  if (!quiet) say_where(done, plan.settings.get("blocks.min_size"));
  if (options.report && done.has_trace) print_report(done.folder);
  return done.outcome.exit_status;
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto sub = add_program_subcommand(app, "run", "Run a program and record its first touches",
                                    "ftprof run -o trace -- ./server --port 8080");
  auto options = std::make_shared<Options>();
  sub->add_option("-o,--output", options->output, "The run's folder")->type_name("DIR");
  sub->add_option("-c,--config", options->config, "Settings from a TOML file")->type_name("FILE");
  sub->add_option("--set", options->pairs, "One setting; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  sub->add_option("--allocator", options->allocator,
                  "Run on glibc, jemalloc, mimalloc, tcmalloc, libmalloc, or a library's path")
      ->type_name("NAME");
  sub->add_flag("--report", options->report, "Print the report afterwards");
  sub->add_flag("-q,--quiet", options->quiet, "Do not say where the trace is");
  sub->callback([sub, options, &status] { status = run(sub, *options); });
}

}  // namespace ftprof
