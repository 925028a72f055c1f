// ftprof mark: a phase of a running program begins now.
#include "analyzer/bad_input.h"
#include "analyzer/cli.h"
#include "analyzer/commands.h"
#include "analyzer/marks_file.h"

namespace ftprof {

void add_mark(CLI::App& app, int& status) {
  struct Options {
    pid_t pid = 0;
    std::string name;
  };
  auto sub = add_subcommand(app, "mark", "Begin a phase in a program that is running",
                            "ftprof mark $(pgrep server) warmed-up");
  auto options = std::make_shared<Options>();
  sub->add_option("PID", options->pid, "The process")->required()->check(CLI::Range(1, 4194304));
  sub->add_option("NAME", options->name, "The phase's name, as reports will show it")->required();
  sub->callback([options, &status] {
    set_mark(options->pid, options->name);
    status = kDone;
  });
}

}  // namespace ftprof
