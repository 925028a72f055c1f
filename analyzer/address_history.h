// What addresses were before: the last block that was given back there, by whom and when, and what
// became of its pages. Feeds the classes of hand-outs, the refaults after a purge, and the bytes
// that lie idle in pools.
//
// Intervals do not overlap. One that is cut loses its page counts in proportion.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/chunk_map.h"

namespace ftprof {

struct Past {
  uint64_t end = 0;
  uint64_t serial = 0;  // of the block
  uint64_t released_ns = 0;
  uint32_t site = 0, thread = 0;
  bool gone = false;         // unmapped since: what comes here next is cold
  bool from_malloc = false;  // given back to a memory allocator, which keeps the addresses
  double weight = 1;         // the block stood for so many
  double idle_pages = 0;     // still resident
  double purged_pages = 0;   // given back to the kernel while the process lived
  double offered_pages = 0;  // by MADV_FREE, inside the call that gives the block back
};

// The part of an interval that a range overlaps.
struct PastPart {
  uint64_t begin = 0;
  Past past;  // cut to the overlap
};

class AddressHistory {
 public:
  void add(uint64_t begin, const Past& past);
  // Removes and returns what was known of [begin, end).
  std::vector<PastPart> take(uint64_t begin, uint64_t end);
  // The interval that holds `addr`, or nullptr.
  Past* find(uint64_t addr);
  double idle_pages() const { return idle_pages_; }

  // Calls change(begin, past) for each overlapping part and keeps what it makes of it.
  template <class Change>
  void change(uint64_t begin, uint64_t end, Change change) {
    for (PastPart& part : take(begin, end)) {
      change(part.begin, part.past);
      add(part.begin, part.past);
    }
  }
  template <class Visit>
  void for_each(Visit visit) {
    map_.for_each(visit);
  }

 private:
  void put(uint64_t begin, const Past& past);
  void drop(uint64_t begin, const Past& past);

  ChunkMap<Past> map_;
  double idle_pages_ = 0;
};

}  // namespace ftprof
