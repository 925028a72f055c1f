// A hash table with open addressing for the few lookups that every record needs. Nothing is ever
// erased; a reference is valid until the next insertion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ftprof {

inline uint64_t mix(uint64_t value) {
  value ^= value >> 32;
  value *= 0x9E3779B97F4A7C15u;
  value ^= value >> 29;
  value *= 0xBF58476D1CE4E5B9u;
  return value ^ (value >> 32);
}
inline uint64_t hash_of(uint64_t key) {
  return mix(key);
}

// Key needs operator== and a hash_of(Key).
template <class Key, class Value>
class FlatMap {
 public:
  struct Slot {
    Key key{};
    Value value{};
    bool used = false;
  };

  Value& operator[](const Key& key) {
    if ((size_ + 1) * 8 > slots_.size() * 5) grow();
    Slot& slot = slots_[slot_of(key)];
    if (!slot.used) {
      slot.used = true;
      slot.key = key;
      ++size_;
    }
    return slot.value;
  }
  Value* find(const Key& key) {
    if (slots_.empty()) return nullptr;
    Slot& slot = slots_[slot_of(key)];
    return slot.used ? &slot.value : nullptr;
  }
  size_t size() const { return size_; }

  template <class Visit>
  void for_each(Visit visit) const {
    for (const Slot& slot : slots_)
      if (slot.used) visit(slot.key, slot.value);
  }

 private:
  size_t slot_of(const Key& key) const {
    size_t mask = slots_.size() - 1;
    size_t at = hash_of(key) & mask;
    while (slots_[at].used && !(slots_[at].key == key)) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    for (Slot& slot : old)
      if (slot.used) slots_[slot_of(slot.key)] = std::move(slot);
  }

  std::vector<Slot> slots_;  // a power of two
  size_t size_ = 0;
};

}  // namespace ftprof
