// What is alive: the tracked blocks by address, and the tracked mappings by range.
//
// The walks are for the collector's snapshots and for a fork's child. They hold no lock while
// visiting; a block that comes or goes meanwhile may or may not be seen, never half.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ftprof {

struct LiveBlock {
  uintptr_t address;
  size_t bytes;
  uint32_t stack;
  uint8_t flags;  // trace::BlockFlags
  bool mapping;   // mmap's, not an allocator's
  double weight;
};

using VisitBlock = void (*)(const LiveBlock& block, void* context);
void visit_live_blocks(VisitBlock visit, void* context);

// Ranges given back lately and still mapped then, newest first: what pools may keep resident
// without using it. Some may have been handed out again or unmapped since.
struct IdleRange {
  uintptr_t address;
  size_t bytes;
};
size_t copy_idle_ranges(IdleRange* to, size_t most);
// A block was given back and its address stayed mapped.
void note_idle(uintptr_t address, size_t bytes);

}  // namespace ftprof
