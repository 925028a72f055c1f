// ftprof generate: the files that are made out of the command line itself, at build time.
#include <cstdio>
#include <fstream>
#include <iterator>

#include "analyzer/bad_input.h"
#include "analyzer/cli.h"
#include "analyzer/command_table.h"
#include "analyzer/commands.h"

namespace ftprof {
namespace {

std::string contents_of(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    throw BadInput(path + ": cannot be read; name the manual's template (man/ftprof.1.in)");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void fill_in(std::string& text, const std::string& place, const std::string& with) {
  size_t at = text.find(place);
  if (at != text.npos) text.replace(at, place.size(), with);
}

std::string manual(const std::string& path, const std::vector<CommandRow>& commands) {
  std::string text = contents_of(path);
  fill_in(text, "@VERSION@", FTPROF_VERSION);
  fill_in(text, "@COMMANDS@\n", manual_commands(commands));
  fill_in(text, "@SETTINGS@\n", manual_settings());
  return text;
}

}  // namespace

void add_generate(CLI::App& app, int& status) {
  struct Options {
    std::string what, path;
  };
  auto sub = add_subcommand(app, "generate", "Print shell completions or the manual page",
                            "ftprof generate bash > /etc/bash_completion.d/ftprof");
  sub->group("");  // not in the help: packages use it, people do not
  auto options = std::make_shared<Options>();
  sub->add_option("WHAT", options->what, "What to print")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "man"}));
  sub->add_option("--template", options->path, "The manual page's own words")->type_name("FILE");
  sub->callback([&app, options, &status] {
    auto commands = command_table(app);
    std::string text = options->what == "bash"  ? bash_completion(commands)
                       : options->what == "zsh" ? zsh_completion(commands)
                                                : manual(options->path, commands);
    std::fwrite(text.data(), 1, text.size(), stdout);
    status = kDone;
  });
}

}  // namespace ftprof
