// The command line as a table, read out of CLI11's objects: what the shell completions and the
// manual page are made of, so that neither can lag behind.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ftprof {

struct OptionRow {
  std::string brief;  // "-o"; empty without
  std::string name;   // "--output"; a positional's name as it stands in the help
  std::string value;  // "DIR"; empty: a flag
  std::vector<std::string> choices;
  std::string description;
  bool positional = false;
};

struct CommandRow {
  std::string name, description, example;
  bool takes_program = false;
  std::vector<OptionRow> options;
};

// The subcommands that `ftprof --help` lists, in its order.
std::vector<CommandRow> command_table(const CLI::App& app);

std::string bash_completion(const std::vector<CommandRow>& commands);
std::string zsh_completion(const std::vector<CommandRow>& commands);
// The parts of the manual page that describe each command and each setting.
std::string manual_commands(const std::vector<CommandRow>& commands);
std::string manual_settings();

}  // namespace ftprof
