// The tracked blocks of allocators, by address. Lock-free: a hook may be interrupted by a signal
// whose handler allocates, and fork may copy the table at any moment.
//
// An address hashes to a window of neighbouring entries; a block takes any free one of them. The
// whole window is looked through at each lookup, so that removing needs no tombstone. A window
// without room sends the block to the next table, four times as large, made when first needed.
// An entry belongs to whoever owns the block: two threads never add or take the same address.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>

namespace ftprof {

struct TrackedBlock {
  size_t bytes = 0;
  uint32_t stack = 0;
  uint8_t api = 0;
  uint8_t flags = 0;
  float weight = 1;
};

class BlockTable {
 public:
  using GetMemory = void* (*)(size_t bytes);
  constexpr explicit BlockTable(GetMemory get_memory) : get_memory_(get_memory) {}

  // False when there is no room and no memory for more: the block then is not tracked.
  bool add(uintptr_t address, const TrackedBlock& block);
  // Removes the block that begins at `address`; false when none does.
  bool take(uintptr_t address, TrackedBlock* block);
  // Calls visit for every block; see blocks.h for what a concurrent change does.
  template <class Visit>
  void visit(Visit visit) const;

 private:
  static constexpr int kTables = 6;
  static constexpr size_t kFirstEntries = 4096, kWindow = 16;
  static constexpr uintptr_t kReserved = 1;  // claimed, its block not yet written
  static size_t entries(int table) { return kFirstEntries << (2 * table); }
  static size_t window(uintptr_t address, int table);
  std::atomic<uintptr_t>* keys(int table) const {
    return tables_[table].load(std::memory_order_acquire);
  }
  TrackedBlock* blocks(int table) const {
    return reinterpret_cast<TrackedBlock*>(keys(table) + entries(table));
  }
  bool make(int table);
  bool add_to(int table, uintptr_t address, const TrackedBlock& block);

  GetMemory get_memory_;
  // One mapping a table: its keys, then its blocks.
  std::atomic<std::atomic<uintptr_t>*> tables_[kTables] = {};
};

template <class Visit>
void BlockTable::visit(Visit visit) const {
  for (int table = 0; table < kTables && keys(table) != nullptr; ++table)
    for (size_t i = 0; i < entries(table); ++i) {
      uintptr_t address = keys(table)[i].load(std::memory_order_acquire);
      if (address <= kReserved) continue;
      TrackedBlock block = blocks(table)[i];
      if (keys(table)[i].load(std::memory_order_acquire) == address) visit(address, block);
    }
}

}  // namespace ftprof
