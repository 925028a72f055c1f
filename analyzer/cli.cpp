#include "analyzer/cli.h"

#include <algorithm>
#include <cstdio>
#include <exception>

#include "analyzer/bad_input.h"
#include "analyzer/escape.h"
#include "analyzer/nearest.h"

namespace ftprof {
namespace {

// A subcommand with the command line of a program behind its own options. CLI11's own positionals
// would not do: they take "[x]" apart and "--" away.
class ProgramCommand : public CLI::App {
 public:
  using CLI::App::App;
  // Takes the program off the end of `args`, which begin with the subcommand's name.
  void split(std::vector<std::string>& args);
  const std::vector<std::string>& program() const { return program_; }

 private:
  bool takes_value(const std::string& argument) const;
  std::vector<std::string> program_;
};

// Whether the next argument belongs to this one: "-o", "--set", but not "--set=a=b" or "-oDIR".
bool ProgramCommand::takes_value(const std::string& argument) const {
  const CLI::Option* option = get_option_no_throw(argument);
  return option && option->get_items_expected_max() > 0;
}

void ProgramCommand::split(std::vector<std::string>& args) {
  size_t at = 1;
  while (at < args.size() && args[at].size() > 1 && args[at][0] == '-' && args[at] != "--")
    at += takes_value(args[at]) ? 2 : 1;
  if (at >= args.size()) return;
  size_t begin = args[at] == "--" ? at + 1 : at;
  program_.assign(args.begin() + static_cast<ptrdiff_t>(begin), args.end());
  args.resize(at);
}

class Help : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, std::move(name));
    if (!takes_program(app)) return usage;
    return usage.insert(usage.find_last_not_of('\n') + 1, " [--] CMD [ARG...]");
  }
};

const CLI::App& chosen(const CLI::App& app) {
  auto subs = app.get_subcommands();
  return subs.empty() ? app : *subs.front();
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands({})) names.push_back(sub->get_name());
  return names;
}

std::string explain_extra(const CLI::App& app, const std::string& extra) {
  if (extra.size() > 1 && extra[0] == '-')
    return "unknown option " + extra +
           did_you_mean(extra.substr(0, extra.find('=')), option_names(app));
  if (app.get_parent()) return "unexpected argument " + extra;
  return "unknown command " + extra + did_you_mean(extra, subcommand_names(app));
}

// "dir is required", and what that is.
std::string explain_missing(const CLI::App& app, const std::string& what) {
  const CLI::Option* option = app.get_option_no_throw(what.substr(0, what.find(' ')));
  return option ? what + ": " + option->get_description() : what;
}

// What went wrong, without a full stop. CLI11's own words where they are good enough.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  std::vector<std::string> extras = app.remaining();
  bool unexpected = dynamic_cast<const CLI::ExtrasError*>(&error) || !app.get_parent();
  if (unexpected && !extras.empty()) return explain_extra(app, extras.front());
  if (!app.get_parent()) return "no command given";
  std::string what = error.what();
  if (auto missing = dynamic_cast<const CLI::RequiredError*>(&error))
    return explain_missing(app, missing->what());
  if (error.get_name() == "ArgumentMismatch")
    return what.substr(0, what.find(':')) + " needs a value";
  return what;
}

int refuse(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& sub = chosen(app);
  std::string command = sub.get_parent() ? sub.get_name() + " " : "";
  std::string where = sub.get_parent() ? sub.get_name() + ": " : "";
  print_line(where + explain(sub, error) + " (ftprof " + command + "--help says more)");
  return kUnusable;
}

// In the order of the command line; CLI11 wants them reversed.
void parse(CLI::App& app, std::vector<std::string> args) {
  for (CLI::App* sub : app.get_subcommands({})) {
    auto program = dynamic_cast<ProgramCommand*>(sub);
    if (program && !args.empty() && sub->get_name() == args[0]) program->split(args);
  }
  std::reverse(args.begin(), args.end());
  app.parse(std::move(args));
}

std::string footer(const std::string& example) {
  return "Example:\n  " + example;
}

}  // namespace

int run_command_line(CLI::App& app, int argc, const char* const* argv, const int& status) {
  app.require_subcommand(1);
  app.set_version_flag("--version", "ftprof " FTPROF_VERSION);
  app.footer(
      "ftprof COMMAND --help says more about each. Exit status: 0 done, 1 over budget or\n"
      "different, 2 unusable input; run exits as the program does.");
  try {
    parse(app, std::vector<std::string>(argv + 1, argv + argc));
    return status;
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return refuse(app, error);
  } catch (const BadInput& error) {
    print_line(error.what());
  } catch (const std::exception& error) {
    print_line(std::string(error.what()) + " (this should not happen; please report it)");
  }
  return kUnusable;
}

void print_line(std::string_view what) {
  std::string line = "ftprof: " + printable(what) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

CLI::App* add_subcommand(CLI::App& app, const std::string& name, const std::string& description,
                         const std::string& example) {
  CLI::App* sub = app.add_subcommand(name, description)->footer(footer(example));
  sub->formatter(std::make_shared<Help>());
  return sub;
}

CLI::App* add_program_subcommand(CLI::App& app, const std::string& name,
                                 const std::string& description, const std::string& example) {
  auto sub = std::make_shared<ProgramCommand>(description, name);
  sub->footer(footer(example))->formatter(std::make_shared<Help>());
  return app.add_subcommand(sub);
}

bool takes_program(const CLI::App* sub) {
  return dynamic_cast<const ProgramCommand*>(sub) != nullptr;
}

const std::vector<std::string>& program_of(const CLI::App* sub) {
  const auto& program = dynamic_cast<const ProgramCommand&>(*sub).program();
  if (program.empty())
    throw BadInput(sub->get_name() + ": no program given; say ftprof " + sub->get_name() +
                   " -- CMD [ARG...]");
  return program;
}

}  // namespace ftprof
