// Who the next allocator is, for the report: found in the constructor, where looking up symbols is
// safe.
#pragma once

namespace ftprof {

void find_allocator_name(const void* next_malloc);
const char* allocator_name();     // glibc, jemalloc, mimalloc, tcmalloc, or the library's file name
const char* allocator_version();  // "" when it does not tell
const char* allocator_library();  // path

}  // namespace ftprof
