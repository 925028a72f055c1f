// The manual page's description of each command and setting, in the man macros.
#include "analyzer/command_table.h"
#include "analyzer/settings.h"

namespace ftprof {
namespace {

// A backslash, a dash that must stay one, and a dot or quote at the beginning of a line.
std::string roff(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string bold(const std::string& text) {
  return "\\fB" + roff(text) + "\\fR";
}
std::string italic(const std::string& text) {
  return "\\fI" + roff(text) + "\\fR";
}

std::string synopsis(const CommandRow& command) {
  std::string text = bold("ftprof " + command.name) + " [" + italic("OPTION") + "...]";
  for (const OptionRow& option : command.options)
    if (option.positional) text += " " + italic(option.name);
  if (command.takes_program)
    text += " [" + bold("--") + "] " + italic("CMD") + " [" + italic("ARG") + "...]";
  return text;
}

std::string option(const OptionRow& row) {
  std::string tag = row.positional ? italic(row.name) : bold(row.name);
  if (!row.brief.empty()) tag = bold(row.brief) + ", " + tag;
  if (!row.value.empty() && !row.positional) tag += " " + italic(row.value);
  std::string text = ".TP\n" + tag + "\n" + roff(row.description);
  for (size_t i = 0; i < row.choices.size(); ++i)
    text += (i ? ", " : "\n(") + bold(row.choices[i]) + (i + 1 == row.choices.size() ? ")" : "");
  return text + "\n";
}

}  // namespace

std::string manual_commands(const std::vector<CommandRow>& commands) {
  std::string text;
  for (const CommandRow& command : commands) {
    text += ".SS " + command.name + "\n" + synopsis(command) + "\n.PP\n" +
            roff(command.description) + ".\n";
    for (const OptionRow& row : command.options)
      if (row.name != "--help") text += option(row);
    if (!command.example.empty())
      text += ".PP\nExample:\n.PP\n.EX\n    " + roff(command.example) + "\n.EE\n";
  }
  return text;
}

std::string manual_settings() {
  std::string text;
  for (const SettingInfo& info : all_settings()) {
    text += ".TP\n" + bold(info.key);
    if (!info.default_value.empty()) text += " (" + roff(info.default_value) + ")";
    text += "\n" + roff(info.meaning) + ".\n";
  }
  return text;
}

}  // namespace ftprof
