// The command line's manners, around CLI11: every refusal is one line that says what, where and
// what to do, with exit status 2; help goes to standard output.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ftprof {

// Parses, runs the chosen subcommand's callback, and returns the exit status: what the callback
// left in `status`, or kUnusable.
int run_command_line(CLI::App& app, int argc, const char* const* argv, const int& status);

// One line on standard error, "ftprof: WHAT", hostile bytes escaped.
void print_line(std::string_view what);

// A subcommand whose help ends in `example`, a whole command line.
CLI::App* add_subcommand(CLI::App& app, const std::string& name, const std::string& description,
                         const std::string& example);

// One that ends in "[--] CMD [ARG...]": everything from CMD on is the program's, also what looks
// like an option of ours.
CLI::App* add_program_subcommand(CLI::App& app, const std::string& name,
                                 const std::string& description, const std::string& example);
bool takes_program(const CLI::App* sub);
// CMD and its arguments; refuses when there is none.
const std::vector<std::string>& program_of(const CLI::App* sub);

}  // namespace ftprof
