// The subcommands, one file each (cmd_NAME.cpp). To add one: declare it here, list it below.
//
// add_NAME hangs the subcommand into `app` with its options, help text and an example; when it is
// chosen its callback does the work and leaves the exit status in `status`. Unusable input is
// thrown as BadInput.
#pragma once

namespace CLI {
class App;
}

namespace ftprof {

void add_run(CLI::App& app, int& status);
void add_report(CLI::App& app, int& status);
void add_compare(CLI::App& app, int& status);
void add_diff(CLI::App& app, int& status);
void add_check(CLI::App& app, int& status);
void add_mark(CLI::App& app, int& status);
void add_export(CLI::App& app, int& status);
void add_env(CLI::App& app, int& status);
void add_doctor(CLI::App& app, int& status);
void add_generate(CLI::App& app, int& status);

// In the order of `ftprof --help`.
inline constexpr void (*kCommands[])(CLI::App&, int&) = {
    add_run,
    add_report,
    add_compare,
    add_diff,
    add_check,
    add_mark,
    add_export,
    add_env,
    add_doctor,
    add_generate,
};

}  // namespace ftprof
