// Which pages of each live block have faulted: bitmaps of 512 pages, made when the first fault
// falls into them. Memory grows with the fault records, never with a block's claimed size.
//
// Pages are page numbers (address / page size). A block holds a PageList; PageSets owns the
// bitmaps.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ftprof {

inline constexpr uint32_t kNoChunk = 0xFFFFFFFF;

// The bitmaps of one block, as a list through PageSets' chunks.
struct PageList {
  uint64_t serial = 0;  // tells blocks apart that share a region; set once per block
  uint32_t head = kNoChunk, last = kNoChunk;
  uint32_t chunks = 0;
};

struct Touched {
  uint64_t first = 0;  // pages that had no fault since the block's begin or its last purge
  uint64_t again = 0;  // pages that had one
  uint64_t more = 0;   // pages that had two
};

// What the bitmaps say of a range of pages.
struct PageCounts {
  uint64_t touched = 0;      // faulted since the last purge
  uint64_t once = 0;         // of them, only once
  uint64_t ever = 0;         // faulted since the block's begin
  uint64_t lone_chunks = 0;  // aligned chunks wholly in the range with exactly one faulted page
  uint64_t full_chunks = 0;  // aligned chunks wholly in the range in which every page faulted
};

class PageSets {
 public:
  static constexpr uint64_t kChunkPages = 512;

  // Marks `pages` pages from `first` as faulted once more.
  Touched touch(PageList& list, uint64_t first, uint64_t pages);
  // The page had more than one.
  bool twice(const PageList& list, uint64_t page) const;
  PageCounts count(const PageList& list, uint64_t first, uint64_t pages) const;
  // Forgets that the pages were touched (they were given back to the kernel).
  void purge(PageList& list, uint64_t first, uint64_t pages);
  // Moves everything to `to`, an empty list, whose pages lie `offset` higher (modulo 2^64).
  void move(PageList& from, PageList& to, uint64_t offset);
  void release(PageList& list);

 private:
  static constexpr size_t kWords = kChunkPages / 64;
  using Bits = std::array<uint64_t, kWords>;
  struct Chunk {
    uint64_t region;
    Bits touched, again, ever;
    uint32_t next;
  };
  struct Key {
    uint64_t serial, region;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return (key.serial * 0x9E3779B97F4A7C15u ^ key.region) * 0xBF58476D1CE4E5B9u >> 16;
    }
  };
  // Lists this short are searched; longer ones are indexed by hash.
  static constexpr uint32_t kSearched = 4;

  uint32_t find(const PageList& list, uint64_t region) const;
  Chunk& find_or_add(PageList& list, uint64_t region);
  uint32_t add(PageList& list, uint64_t region);
  uint32_t take_chunk();
  void move_bits(const PageList& from, PageList& to, uint64_t offset);
  static void purge_chunk(Chunk& chunk, uint64_t begin, uint64_t end);
  static void count_chunk(const Chunk& chunk, uint64_t begin, uint64_t end, PageCounts& counts);

  std::vector<Chunk> chunks_;
  std::vector<uint32_t> free_;
  std::unordered_map<Key, uint32_t, KeyHash> index_;
};

}  // namespace ftprof
