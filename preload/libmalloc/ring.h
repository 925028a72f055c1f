// Freed blocks that keep their pages, newest first, until a request fits one.
//
// This is the policy, and nothing but: it is told of blocks and says what to do with them. It never
// touches their memory nor calls the kernel, so its tests need neither.
//
// A request takes the newest block of exactly its size, else the smallest that wastes less than
// half of itself (bytes < 2 × wanted), the newest of equals. Beside the list by age, blocks are
// filed by size, eight classes per doubling, so that a search reads few of them even when thousands
// rest.
#pragma once

#include <cstddef>
#include <cstdint>

#include "preload/libmalloc/lock.h"
#include "preload/libmalloc/pages.h"

namespace ftprof::libmalloc {

struct RingLimits {
  size_t entries = 0;      // blocks at rest, at most Ring::kMostEntries; 0: keep none
  size_t entry_bytes = 0;  // a larger block is not kept
  size_t hoard_bytes =
      0;  // what rests beyond this is marked, so that the kernel may take its pages
};

class Ring {
 public:
  static constexpr size_t kMostEntries = 4096;

  constexpr Ring() = default;
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  void set_limits(const Held&, const RingLimits& limits) { limits_ = limits; }

  enum class Verdict : uint8_t { keep, mark_and_keep, unmap };
  Verdict judge(const Held&, size_t bytes) const;

  // Files a block that judge() kept. The block that has to leave for it, if any, is returned.
  Block put(const Held&, Block block, bool marked);

  // Takes the fitting block out, or returns none.
  Block take(const Held&, size_t bytes, size_t alignment);

  // Takes the oldest out, or returns none.
  Block take_oldest(const Held&);

  size_t bytes(const Held&) const { return bytes_; }
  size_t unmarked_bytes(const Held&) const { return unmarked_bytes_; }
  size_t count(const Held&) const { return count_; }

 private:
  using Index = uint16_t;
  static constexpr Index kNone = 0;  // entry 0 is never used
  static constexpr size_t kClasses = 8 * (64 - 12);

  struct Links {
    Index newer = kNone, older = kNone;
  };
  struct Entry {
    Block block;
    Links by_age, by_size;
    bool marked = false;
  };
  struct List {
    Index newest = kNone, oldest = kNone;
  };

  static size_t class_of(size_t bytes);
  void link(List& list, Links Entry::*links, Index i);
  void unlink(List& list, Links Entry::*links, Index i);
  Index best_in(const List& list, size_t bytes, size_t alignment) const;
  Index new_entry();
  Block remove(Index i);

  RingLimits limits_;
  List by_age_;
  List by_size_[kClasses];
  Entry entries_[kMostEntries + 1];
  Index unused_ = 1;    // entries from here on were never used: their memory is untouched
  Index free_ = kNone;  // used once, chained by by_age.older
  size_t count_ = 0;
  size_t bytes_ = 0;
  size_t unmarked_bytes_ = 0;
};

}  // namespace ftprof::libmalloc
