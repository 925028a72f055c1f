#include "preload/libmalloc/registry.h"

#include <new>

namespace ftprof::libmalloc {
namespace {

constexpr size_t kResting = 1;

}  // namespace

size_t Registry::Table::home(uintptr_t address) const {
  return static_cast<size_t>((address / kSmallestPage) * 0x9E3779B97F4A7C15u >> 20) & mask;
}

// Loads acquire, so that the version read after a search is not older than what the search saw.
Registry::Slot* Registry::Table::search(uintptr_t address) const {
  size_t i = home(address);
  for (;;) {
    uintptr_t found = slots[i].address.load(std::memory_order_acquire);
    if (found == address || found == 0) return slots + i;
    i = (i + 1) & mask;
  }
}

bool Registry::maybe_contains(uintptr_t address) const {
  if (address == 0) return false;
  uint64_t before = version_.load(std::memory_order_acquire);
  Slot* slot = table_.load(std::memory_order_acquire)->search(address);
  bool found = slot->address.load(std::memory_order_acquire) == address;
  return found || before % 2 || version_.load(std::memory_order_relaxed) != before;
}

Registry::Slot* Registry::slot_of(uintptr_t address) const {
  return table_.load(std::memory_order_relaxed)->search(address);
}

Registry::Found Registry::find(const Held&, uintptr_t address) const {
  if (address == 0) return {};
  Slot* slot = slot_of(address);
  if (slot->address != address) return {};
  size_t tagged = slot->bytes.load(std::memory_order_relaxed);
  return {tagged & kResting ? BlockState::resting : BlockState::in_use, tagged & ~kResting};
}

void Registry::enter(uintptr_t address, size_t tagged_bytes) {
  Slot* slot = slot_of(address);
  slot->bytes.store(tagged_bytes, std::memory_order_relaxed);
  slot->address.store(address, std::memory_order_release);
}

bool Registry::insert(const Held& held, Block block) {
  if (count_ >= capacity() / 8 * 7) return false;
  move_in(held, block);
  return true;
}

void Registry::move_in(const Held&, Block block) {
  enter(block.address, block.bytes);
  ++count_;
}

void Registry::set_state(const Held&, uintptr_t address, BlockState state) {
  Slot* slot = slot_of(address);
  size_t bytes = slot->bytes.load(std::memory_order_relaxed) & ~kResting;
  slot->bytes.store(state == BlockState::resting ? bytes | kResting : bytes,
                    std::memory_order_relaxed);
}

void Registry::set_bytes(const Held&, Block block) {
  slot_of(block.address)->bytes.store(block.bytes, std::memory_order_relaxed);
}

void Registry::erase(const Held&, uintptr_t address) {
  Table* table = table_.load(std::memory_order_relaxed);
  Slot* slot = table->search(address);
  if (slot->address != address) return;
  begin_moving();
  close_gap(static_cast<size_t>(slot - table->slots));
  end_moving();
  --count_;
}

// Moves later entries of the same cluster up, so that searches need no markers for erased ones and
// the table never has to be rebuilt for them.
void Registry::close_gap(size_t gap) {
  Table* table = table_.load(std::memory_order_relaxed);
  Slot* slots = table->slots;
  for (size_t i = (gap + 1) & table->mask; slots[i].address != 0; i = (i + 1) & table->mask) {
    size_t distance_from_home = (i - table->home(slots[i].address)) & table->mask;
    if (distance_from_home < ((i - gap) & table->mask)) continue;
    slots[gap].bytes.store(slots[i].bytes, std::memory_order_release);
    slots[gap].address.store(slots[i].address, std::memory_order_release);
    gap = i;
  }
  slots[gap].address.store(0, std::memory_order_release);
}

size_t Registry::wanted_bytes(const Held&) const {
  if (count_ < capacity() / 2) return 0;
  return pages::round_up(sizeof(Table) + 2 * capacity() * sizeof(Slot));
}

Block Registry::adopt(const Held& held, Block memory) {
  if (memory.bytes != wanted_bytes(held)) return memory;
  const Table* old = table_.load(std::memory_order_relaxed);
  auto* slots = reinterpret_cast<Slot*>(memory.address + sizeof(Table));
  auto* table = new (reinterpret_cast<void*>(memory.address)) Table{slots, 2 * capacity() - 1};
  begin_moving();
  table_.store(table, std::memory_order_release);
  for (size_t i = 0; i <= old->mask; ++i) {
    if (old->slots[i].address != 0) enter(old->slots[i].address, old->slots[i].bytes);
  }
  end_moving();
  return {};
}

}  // namespace ftprof::libmalloc
