// The process's environment, read and extended without libc's functions: shells define getenv and
// setenv themselves, and those may allocate.
#pragma once

namespace ftprof {

// The value, or null.
const char* find_in_environment(const char* name);
// Whether libc has an environment already: not so in the loader's first steps.
bool environment_is_there();

// Adds FTPROF_OUTPUT for the programs that this one will exec. The constructor only, before the
// program can have looked at `environ` itself.
void add_output_to_environment(const char* run_dir);

}  // namespace ftprof
