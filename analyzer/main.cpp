// ftprof: the command. Each subcommand lives in a file of its own (cmd_*.cpp).
#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
  CLI::App app{"ftprof: which allocation sites pay for first touches, and what it costs"};
  CLI11_PARSE(app, argc, argv);
  return 0;
}
