// Finds the owner of each recorded fault (docs/report.md, "How a fault finds its owner").
//
// A fault in a live block is booked at once. Any other waits with its thread: the next hand-out of
// that thread may turn out to have been under way (a calloc that cleared the block). After that it
// is no block's, and the maps of the process decide; until one has been read, it waits once more.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/fault_feed.h"
#include "analyzer/image_state.h"
#include "analyzer/payments.h"

namespace ftprof {

class Attribution {
 public:
  explicit Attribution(ImageState& state) : state_(state) {}

  void faults(const FaultPiece& piece);

  // Recorded faults of one call, as settle_call finds them.
  struct InCall {
    uint64_t located = 0;        // on pages that hold a byte of the block
    uint64_t located_whole = 0;  // of them, on its whole pages
    uint64_t elsewhere = 0;      // on other pages
  };
  // The thread has handed out `block` in a call that took `faults` faults: books what waited.
  InCall settle_call(uint32_t thread, LiveBlock& block, uint64_t faults);
  // The thread did something else: what waited was no block's.
  void settle_thread(uint32_t thread);
  // A reading of the maps is complete, or the trace ends.
  void settle_unowned();
  void finish();

 private:
  struct Unowned {
    uint64_t addr;
    FaultSum sum;
    CellKey cell;
    bool by_allocator;  // inside a call of the allocator, beside the block
    GapShare gap;
    uint64_t begin_ns, end_ns;
  };
  void add_to_timeline(const FaultPart& part);
  void hold(const FaultPart& part);
  FaultPart part_of(const HeldFaults& held, const OpenThread& open, uint32_t thread) const;
  uint64_t settle_rest(uint32_t thread, uint64_t in_call, bool by_allocator);
  void unowned(const FaultPart& part, bool by_allocator);
  bool book(const Unowned& unowned, bool last_chance);
  std::optional<MappingOwner> owner_of(const Unowned& unowned, bool last_chance);

  static constexpr size_t kMostHeld = 4096;        // runs of one thread
  static constexpr size_t kMostUnowned = 1 << 17;  // runs

  ImageState& state_;
  std::vector<uint32_t> costs_;  // of the piece at hand
  std::vector<Unowned> unowned_;
};

}  // namespace ftprof
