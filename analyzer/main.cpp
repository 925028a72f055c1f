// ftprof: the command. What it can do is listed in commands.h; each subcommand has a file of its
// own.
#include "analyzer/cli.h"
#include "analyzer/commands.h"

int main(int argc, char** argv) {
  CLI::App app{"ftprof: which allocation sites pay for first touches, and what it costs", "ftprof"};
  int status = 0;
  for (auto add : ftprof::kCommands) add(app, status);
  return ftprof::run_command_line(app, argc, argv, status);
}
