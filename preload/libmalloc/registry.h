// Which addresses are ours: every mapped block, in use or resting in the ring, by its first
// address.
//
// Blocks are whole pages without a header, so that a program's first touches are its own and a
// block's pages stay as they were. What a header would say stands here, in an open-addressed table.
//
// Most pointers that come to free() are the next allocator's. Those that do not begin a page are
// told apart by that alone; for the rest maybe_ours() reads the table without the lock. It can take
// a foreign pointer for ours while the table changes, never ours for foreign: the block was entered
// before its owner got the pointer, and a search that a moving entry may have escaped says "maybe".
// The answer under the lock is exact.
//
// Growth: the caller maps the memory for a larger table without the lock held (wanted_bytes,
// adopt). Old tables stay mapped, as a reader may still look at one; together they are smaller than
// the current one. If no memory can be had the table fills up further, and insert() refuses at 7/8:
// the rest is kept for move_in(), which must not fail.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "preload/libmalloc/lock.h"
#include "preload/libmalloc/pages.h"

namespace ftprof::libmalloc {

enum class BlockState : uint8_t { foreign, in_use, resting };

class Registry {
 public:
  constexpr Registry() = default;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // Without the lock, in a few nanoseconds.
  bool maybe_ours(const void* p) const {
    uintptr_t address = reinterpret_cast<uintptr_t>(p);
    return (address & (kSmallestPage - 1)) == 0 && maybe_contains(address);
  }

  struct Found {
    BlockState state = BlockState::foreign;
    size_t bytes = 0;
  };
  Found find(const Held&, uintptr_t address) const;

  bool insert(const Held&, Block block);   // as in use; false: the table is full
  void move_in(const Held&, Block block);  // insert() in place of a block just erased: cannot fail
  void set_state(const Held&, uintptr_t address, BlockState state);
  void set_bytes(const Held&, Block block);
  void erase(const Held&, uintptr_t address);

  // Bytes of the table to adopt before the next insert; 0 while there is room.
  size_t wanted_bytes(const Held&) const;
  // Moves into `memory` (zeros, of wanted_bytes) and returns no block; or gives it back unused,
  // when another thread was faster.
  Block adopt(const Held&, Block memory);

  size_t count(const Held&) const { return count_; }

 private:
  static constexpr uintptr_t kSmallestPage = 4096;  // of any machine: a filter, not the page size
  static constexpr size_t kFirstSlots = 1024;

  struct Slot {
    std::atomic<uintptr_t> address{0};  // 0: empty, ends a search
    std::atomic<size_t> bytes{0};       // whole pages; the lowest bit is set while resting
  };
  struct Table {
    Slot* slots;
    size_t mask;
    size_t home(uintptr_t address) const;
    Slot* search(uintptr_t address) const;  // its slot, or the empty one where it would go
  };

  bool maybe_contains(uintptr_t address) const;
  Slot* slot_of(uintptr_t address) const;
  void enter(uintptr_t address, size_t tagged_bytes);
  void close_gap(size_t gap);
  void begin_moving() { version_.store(version_ + 1, std::memory_order_relaxed); }
  void end_moving() { version_.store(version_ + 1, std::memory_order_release); }
  size_t capacity() const { return table_.load(std::memory_order_relaxed)->mask + 1; }

  Slot first_slots_[kFirstSlots];
  Table first_{first_slots_, kFirstSlots - 1};
  std::atomic<Table*> table_{&first_};
  std::atomic<uint64_t> version_{0};  // odd while entries move between slots
  size_t count_ = 0;
};

}  // namespace ftprof::libmalloc
