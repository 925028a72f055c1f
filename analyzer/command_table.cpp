#include "analyzer/command_table.h"

#include <sstream>

#include "analyzer/cli.h"
#include "analyzer/launch.h"

namespace ftprof {
namespace {

// CLI11 shows a set of choices as "TEXT:{a,b}".
std::vector<std::string> choices_in(const std::string& type) {
  size_t begin = type.find('{'), end = type.find('}');
  std::vector<std::string> choices;
  if (begin == type.npos || end == type.npos) return choices;
  std::istringstream stream(type.substr(begin + 1, end - begin - 1));
  for (std::string choice; std::getline(stream, choice, ',');) choices.push_back(choice);
  return choices;
}

OptionRow row_of(const CLI::Option& option) {
  OptionRow row;
  std::string type = option.get_type_name();
  row.positional = option.get_positional();
  if (!option.get_snames().empty()) row.brief = "-" + option.get_snames().front();
  if (!option.get_lnames().empty()) row.name = "--" + option.get_lnames().front();
  if (row.positional) row.name = option.get_name(true);
  if (option.get_items_expected_max() > 0) row.value = type.substr(0, type.find(':'));
  row.choices = choices_in(type);
  if (row.name == "--allocator") row.choices = allocator_names();
  row.description = option.get_description();
  return row;
}

std::string example_in(const std::string& footer) {
  size_t line = footer.find("\n  ");
  return line == footer.npos ? "" : footer.substr(line + 3);
}

}  // namespace

std::vector<CommandRow> command_table(const CLI::App& app) {
  std::vector<CommandRow> commands;
  for (const CLI::App* sub : app.get_subcommands({})) {
    if (sub->get_group().empty()) continue;
    CommandRow command{sub->get_name(),
                       sub->get_description(),
                       example_in(sub->get_footer()),
                       takes_program(sub),
                       {}};
    for (const CLI::Option* option : sub->get_options()) command.options.push_back(row_of(*option));
    commands.push_back(std::move(command));
  }
  return commands;
}

}  // namespace ftprof
