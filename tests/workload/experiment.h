// The experiments, one file each. Each adds its subcommand to the command line; when that runs, it
// leaves the program's exit status in `status`: 0 done and proved, 1 a check failed, 2 bad input.
//
// The functions whose faults a report is to name are global, extern "C" and [[gnu::noipa]]: never
// inlined, cloned, merged with an equal one or left by a tail call.
#pragma once

#include <CLI/CLI.hpp>

namespace ftprof::workload {

void add_cycles(CLI::App& app, int& status);
void add_pagebench(CLI::App& app, int& status);
void add_recycled(CLI::App& app, int& status);
void add_sites(CLI::App& app, int& status);
void add_touch(CLI::App& app, int& status);
void add_walks(CLI::App& app, int& status);

}  // namespace ftprof::workload
