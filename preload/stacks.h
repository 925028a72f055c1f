// Interned stacks: each distinct one gets an id, and one Stack event per image, written before the
// first event that uses the id.
//
// Lock-free. Two threads that meet the same new stack at once may give it two ids; readers join
// equal frames. Stacks are never forgotten; when the table is full, further ones have no id.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ftprof {

inline constexpr size_t kMostFrames = 256;

// The id of the calling thread's stack, kNoStack when it cannot be had.
uint32_t intern_this_stack();

// Writes the Stack event of `id` into this image's trace if that has not been done: a fork's child
// inherits blocks whose stacks its own trace does not hold.
void announce_stack(uint32_t id);

// Called once when the image begins, before the first stack; false without memory.
bool prepare_stacks();

}  // namespace ftprof
