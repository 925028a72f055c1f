// An ordered map from addresses to small values, in sorted chunks of a few KiB: a lookup touches
// two arrays, an insertion moves half a chunk. A node-based map of a million blocks misses the
// cache at every level; this one is what keeps ten million block records within seconds.
//
// Positions are invalid after any insertion or erasure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

namespace ftprof {

template <class Value>
class ChunkMap {
 public:
  struct Entry {
    uint64_t key;
    Value value;
  };

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // The entry with the greatest key at or below `key`, or nullptr.
  Entry* floor(uint64_t key) {
    size_t chunk = chunk_of(key);
    if (chunk == kNone) return nullptr;
    auto& entries = *chunks_[chunk];
    return &*std::prev(std::upper_bound(entries.begin(), entries.end(), key, before));
  }
  // The entry with the smallest key above `key`, or nullptr.
  Entry* above(uint64_t key) {
    if (chunks_.empty()) return nullptr;
    size_t chunk = chunk_of(key);
    if (chunk == kNone) return &chunks_[0]->front();
    auto& entries = *chunks_[chunk];
    auto at = std::upper_bound(entries.begin(), entries.end(), key, before);
    if (at != entries.end()) return &*at;
    return chunk + 1 < chunks_.size() ? &chunks_[chunk + 1]->front() : nullptr;
  }
  Entry* find(uint64_t key) {
    Entry* entry = floor(key);
    return entry && entry->key == key ? entry : nullptr;
  }

  // Inserts, or replaces the value that the key had.
  void set(uint64_t key, Value value) {
    size_t chunk = chunk_of(key);
    if (chunk == kNone) {
      if (chunks_.empty()) return add_first(key, value);
      chunk = 0;
    }
    auto* entries = chunks_[chunk].get();
    auto at = std::upper_bound(entries->begin(), entries->end(), key, before);
    if (at != entries->begin() && std::prev(at)->key == key) {
      std::prev(at)->value = value;
      return;
    }
    entries->insert(at, Entry{key, value});
    firsts_[chunk] = entries->front().key;
    ++size_;
    if (entries->size() == kMost) split(chunk);
  }

  void erase(uint64_t key) {
    size_t chunk = chunk_of(key);
    if (chunk == kNone) return;
    auto& entries = *chunks_[chunk];
    auto at = std::upper_bound(entries.begin(), entries.end(), key, before);
    if (at == entries.begin() || std::prev(at)->key != key) return;
    entries.erase(std::prev(at));
    --size_;
    if (!entries.empty()) {
      firsts_[chunk] = entries.front().key;
      return;
    }
    chunks_.erase(chunks_.begin() + chunk);
    firsts_.erase(firsts_.begin() + chunk);
  }

  template <class Visit>
  void for_each(Visit visit) {
    for (auto& chunk : chunks_)
      for (Entry& entry : *chunk) visit(entry.key, entry.value);
  }

 private:
  using Chunk = std::vector<Entry>;
  static constexpr size_t kMost = std::max<size_t>(32, 4096 / sizeof(Entry));
  static constexpr size_t kNone = static_cast<size_t>(-1);
  static bool before(uint64_t key, const Entry& entry) { return key < entry.key; }

  size_t chunk_of(uint64_t key) const {
    auto at = std::upper_bound(firsts_.begin(), firsts_.end(), key);
    return static_cast<size_t>(at - firsts_.begin()) - 1;
  }
  void add_first(uint64_t key, Value value) {
    chunks_.push_back(std::make_unique<Chunk>());
    chunks_[0]->reserve(kMost);
    chunks_[0]->push_back({key, value});
    firsts_.push_back(key);
    size_ = 1;
  }
  void split(size_t chunk) {
    auto upper = std::make_unique<Chunk>();
    upper->reserve(kMost);
    auto& lower = *chunks_[chunk];
    upper->assign(lower.begin() + kMost / 2, lower.end());
    lower.resize(kMost / 2);
    firsts_.insert(firsts_.begin() + chunk + 1, upper->front().key);
    chunks_.insert(chunks_.begin() + chunk + 1, std::move(upper));
  }

  std::vector<std::unique_ptr<Chunk>> chunks_;  // none is empty
  std::vector<uint64_t> firsts_;                // the first key of each
  size_t size_ = 0;
};

}  // namespace ftprof
