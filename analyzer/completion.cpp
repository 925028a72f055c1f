// Shell completions for bash and zsh.
#include "analyzer/command_table.h"
#include "analyzer/settings.h"

namespace ftprof {
namespace {

std::string joined(const std::vector<std::string>& words, const char* between = " ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string setting_keys() {
  std::vector<std::string> keys;
  for (const SettingInfo& info : all_settings()) keys.push_back(info.key + "=");
  return joined(keys);
}

std::vector<std::string> names_of(const CommandRow& command) {
  std::vector<std::string> names;
  for (const OptionRow& option : command.options) {
    if (option.positional) continue;
    if (!option.name.empty()) names.push_back(option.name);
    if (!option.brief.empty()) names.push_back(option.brief);
  }
  return names;
}

std::string reply(const std::string& words) {
  return "COMPREPLY=($(compgen -W \"" + words + "\" -- \"$cur\"))";
}

// One "case" arm for each option that takes one of a few words.
std::string bash_values(const CommandRow& command) {
  std::string text;
  for (const OptionRow& option : command.options)
    if (!option.choices.empty() && !option.positional)
      text += "    \"" + command.name + " " + option.name + "\") " + reply(joined(option.choices)) +
              "; return ;;\n";
  return text;
}

// Readline takes "key=value" apart at the sign.
std::string bash_setting_values() {
  std::string text;
  for (const SettingInfo& info : all_settings()) {
    std::string values = info.kind == SettingInfo::Kind::Flag ? "true false" : joined(info.choices);
    if (!values.empty()) text += "    " + info.key + ") " + reply(values) + " ;;\n";
  }
  return text;
}

std::string zsh_quoted(std::string text) {
  for (size_t at = 0; (at = text.find_first_of("'[]:", at)) != text.npos;) {
    std::string escaped = text[at] == '\'' ? "'\\''" : std::string("\\") + text[at];
    text.replace(at, 1, escaped);
    at += escaped.size();
  }
  return text;
}

std::string zsh_action(const OptionRow& option) {
  if (!option.choices.empty()) return "(" + joined(option.choices) + ")";
  return option.name == "--set" ? "(" + setting_keys() + ")" : "_files";
}

std::string zsh_option(const OptionRow& option) {
  if (option.positional) return "'*:" + zsh_quoted(option.description) + ":_files'";
  std::string names = option.name;
  if (!option.brief.empty()) names = "{" + option.brief + "," + option.name + "}";
  std::string text =
      (option.name == "--set" ? "'*'" : "") + names + "'[" + zsh_quoted(option.description) + "]";
  if (!option.value.empty()) text += ":" + zsh_quoted(option.value) + ":" + zsh_action(option);
  return text + "'";
}

std::string zsh_command(const CommandRow& command) {
  std::string text = "    " + command.name + ")\n      _arguments -S";
  bool has_positional = false;
  for (const OptionRow& option : command.options) {
    if (option.positional && has_positional) continue;  // one rule serves all
    has_positional = has_positional || option.positional;
    text += " \\\n        " + zsh_option(option);
  }
  if (command.takes_program) text += " \\\n        '*::program:_normal'";
  return text + "\n      ;;\n";
}

}  // namespace

std::string bash_completion(const std::vector<CommandRow>& commands) {
  std::vector<std::string> names = {"--help", "--version"};
  std::string values, options;
  for (const CommandRow& command : commands) {
    names.push_back(command.name);
    values += bash_values(command);
    options += "    " + command.name + ") " + reply(joined(names_of(command))) + " ;;\n";
  }
  return "# bash completion for ftprof, made by ftprof itself\n"
         "_ftprof() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local command=${COMP_WORDS[1]} key=${COMP_WORDS[COMP_CWORD-2]}\n"
         "  COMPREPLY=()\n"
         "  if ((COMP_CWORD == 1)); then\n    " +
         reply(joined(names)) +
         "; return\n  fi\n"
         "  case \"$command $prev\" in\n" +
         values + "    *\" --set\") compopt -o nospace; " + reply(setting_keys()) +
         "; return ;;\n"
         "  esac\n"
         "  if [[ $cur == = ]]; then cur= key=$prev prev==; fi\n"
         "  if [[ $prev == = ]]; then\n    case \"$key\" in\n" +
         bash_setting_values() +
         "    esac\n    return\n  fi\n"
         "  [[ $cur == -* ]] || return\n"
         "  case \"$command\" in\n" +
         options +
         "  esac\n"
         "}\n"
         "complete -o bashdefault -o default -F _ftprof ftprof\n";
}

std::string zsh_completion(const std::vector<CommandRow>& commands) {
  std::string list, cases;
  for (const CommandRow& command : commands) {
    list += "    '" + command.name + ":" + zsh_quoted(command.description) + "'\n";
    cases += zsh_command(command);
  }
  return "#compdef ftprof\n# made by ftprof itself\n"
         "_ftprof() {\n"
         "  local -a commands=(\n" +
         list +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
         "  local command=$words[2]\n"
         "  shift words; (( CURRENT-- ))\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         "_ftprof \"$@\"\n";
}

}  // namespace ftprof
