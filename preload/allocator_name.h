// Who the next allocator is, for the report.
#pragma once

namespace ftprof {

void find_allocator_name(const void* next_malloc);
// Asks the allocator itself, which may take its lock: only the constructor can be sure not to be
// called from inside it.
void find_allocator_version();
const char* allocator_name();     // glibc, jemalloc, mimalloc, tcmalloc, or the library's file name
const char* allocator_version();  // "" when it does not tell
const char* allocator_library();  // path

}  // namespace ftprof
