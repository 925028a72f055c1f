// Records that the kernel had to drop in one ring, told from two sides and stated once.
//
// The ring says so itself, in the next record that finds room: at the end of a run there is none.
// The kernel's count of what it dropped, or of what it saw, says so at any moment. Both grow from
// the same start, so what the one has told the other need not.
#pragma once

#include <stdint.h>

namespace ftprof {

class LostCount {
 public:
  void came() { ++came_; }
  uint64_t all_that_came() const { return came_; }

  // Both return how many more are lost than was stated before.
  uint64_t record_says(uint64_t records) { return state(by_record_ += records); }
  uint64_t kernel_says(uint64_t in_all) { return state(in_all); }

 private:
  uint64_t state(uint64_t lost) {
    uint64_t more = lost > stated_ ? lost - stated_ : 0;
    stated_ += more;
    return more;
  }
  uint64_t came_ = 0, by_record_ = 0, stated_ = 0;
};

}  // namespace ftprof
