// Names of this process: the program, the run's folder, the image's folder.
#pragma once

#include <stddef.h>

namespace ftprof {

// Fills g_state.exe and g_state.run_dir; the folder is absolute, whatever the program does with its
// working directory later. `output`: FTPROF_OUTPUT, or null.
void find_names(const char* output);
const char* program_path();

// Makes the run's folder (may exist) and the image's (must not: .2, .3 … follow when the same
// process id came by before). The image's descriptor (O_PATH), or -errno.
int make_folders();

// Takes away what a beginning that failed has made, so that no reader meets half a trace.
void remove_folder(int image);

// Reads a small file whole; the number of bytes, 0 when it cannot be read. Ends in NUL.
size_t read_file(const char* path, char* to, size_t capacity);

}  // namespace ftprof
