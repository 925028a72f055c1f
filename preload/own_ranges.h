// Where the library's own anonymous memory lies, so that what the process had paid before it was
// observed is not taken for the program's. A fixed number of ranges; more are not known.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ftprof {

// Any thread, no lock. Ranges stay known after they are unmapped.
void note_own_range(const void* begin, size_t bytes);

// How many pages of them, and of the library's own zeroed data, are resident.
uint64_t own_resident_pages();

}  // namespace ftprof
