// Thread ids and names.
#pragma once

#include <stdint.h>

namespace ftprof {

// The calling thread's id, asked once. 0 when a seccomp filter came before the first question.
uint32_t this_thread();

// Writes the calling thread's Thread event if this image's trace has none of it yet.
void announce_this_thread();

}  // namespace ftprof
