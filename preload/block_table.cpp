#include "preload/block_table.h"

namespace ftprof {

size_t BlockTable::window(uintptr_t address, int table) {
  // Blocks of a page or more differ in their page numbers; a few share one (small min_size).
  uint64_t hash = (address >> 4) * 0x9E3779B97F4A7C15u;
  return (hash >> 40) & (entries(table) - 1) & ~(kWindow - 1);
}

bool BlockTable::make(int table) {
  size_t bytes = entries(table) * (sizeof(uintptr_t) + sizeof(TrackedBlock));
  auto memory = static_cast<std::atomic<uintptr_t>*>(get_memory_(bytes));
  if (memory == nullptr) return false;
  std::atomic<uintptr_t>* none = nullptr;
  // Another thread was quicker: its table serves, this one's memory stays unused. Rare and small.
  tables_[table].compare_exchange_strong(none, memory, std::memory_order_acq_rel);
  return true;
}

bool BlockTable::add_to(int table, uintptr_t address, const TrackedBlock& block) {
  size_t first = window(address, table);
  for (size_t i = first; i < first + kWindow; ++i) {
    uintptr_t free = 0;
    if (keys(table)[i].load(std::memory_order_relaxed) != 0 ||
        !keys(table)[i].compare_exchange_strong(free, kReserved, std::memory_order_acquire))
      continue;
    blocks(table)[i] = block;
    keys(table)[i].store(address, std::memory_order_release);
    return true;
  }
  return false;
}

bool BlockTable::add(uintptr_t address, const TrackedBlock& block) {
  for (int table = 0; table < kTables; ++table) {
    if (keys(table) == nullptr && !make(table)) return false;
    if (add_to(table, address, block)) return true;
  }
  return false;
}

bool BlockTable::take(uintptr_t address, TrackedBlock* block) {
  for (int table = 0; table < kTables && keys(table) != nullptr; ++table) {
    size_t first = window(address, table);
    for (size_t i = first; i < first + kWindow; ++i) {
      if (keys(table)[i].load(std::memory_order_acquire) != address) continue;
      *block = blocks(table)[i];
      keys(table)[i].store(0, std::memory_order_release);
      return true;
    }
  }
  return false;
}

}  // namespace ftprof
