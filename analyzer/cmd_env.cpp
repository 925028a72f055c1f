// ftprof env: the variables that `ftprof run` would set, for a unit file, a container, or a shell.
#include <cstdio>

#include "analyzer/cli.h"
#include "analyzer/commands.h"
#include "analyzer/launch.h"

namespace ftprof {
namespace {

struct Options {
  std::string config;
  std::vector<std::string> pairs;
  std::string allocator;
};

void print_environment(const Options& options) {
  auto settings = settings_from(options.config, options.pairs);
  for (const auto& [name, value] : launch_environment(settings, options.allocator))
    std::printf("%s=%s\n", name.c_str(), value.c_str());
}

}  // namespace

void add_env(CLI::App& app, int& status) {
  auto sub =
      add_subcommand(app, "env", "Print the variables that profile a program without ftprof run",
                     "env $(ftprof env --set faults.source=pagemap) ./server");
  auto options = std::make_shared<Options>();
  sub->add_option("-c,--config", options->config, "Settings from a TOML file")->type_name("FILE");
  sub->add_option("--set", options->pairs, "One setting; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  sub->add_option("--allocator", options->allocator, "Preload an allocator too")->type_name("NAME");
  sub->callback([options, &status] {
    print_environment(*options);
    status = 0;
  });
}

}  // namespace ftprof
