// Memory for the requests that come while the next allocator is being looked up: dlsym itself
// allocates. A fixed arena, aligned as asked, never reused.
//
// Its blocks are in the filter from the start, so that free() and realloc() notice them without a
// check of their own on the hot path.
#pragma once

#include <stddef.h>

namespace ftprof {

void* boot_allocate(size_t bytes, size_t alignment = 16);  // zeroed; nullptr: the arena is used up
bool is_boot_memory(const void* pointer);
size_t boot_size(const void* pointer);  // what was asked for

}  // namespace ftprof
