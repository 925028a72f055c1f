// The fault streams of one process image, handed out up to a point in time.
//
// A FaultRun is split exactly where an event of the block streams lies within it, because its later
// faults may belong to a block that did not exist when it began. Among themselves the fault streams
// need no order: what a second fault on a page means depends on block events only.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "analyzer/bursts.h"
#include "analyzer/trace_stream.h"

namespace ftprof {

// Faults of one thread by one instruction over consecutive pages, none of them split by a block
// event. `samples` holds (gap_ns, cost_ns) pairs, unaligned, or nothing when `single_cost` stands.
struct FaultPiece {
  uint32_t tid = 0;
  uint64_t ip = 0;
  uint64_t addr = 0;  // the byte touched first; the pages behind it are touched at their beginning
  uint32_t faults = 0;
  uint64_t begin_ns = 0, end_ns = 0;  // entry of the first and of the last one
  const uint8_t* samples = nullptr;
  uint32_t single_cost_ns = trace::kNotTimed32;
  bool major = false;
  bool read = false;    // its pages were the zero page when it was written
  uint32_t period = 1;  // each recorded fault stands for so many
  GapShare gap;         // and, at a burst's ends, for these too

  uint32_t cost_ns(uint32_t i) const {
    if (!samples) return single_cost_ns;
    uint16_t cost;
    std::memcpy(&cost, samples + 4 * static_cast<size_t>(i) + 2, sizeof cost);
    return cost == trace::kNotTimed ? trace::kNotTimed32 : cost;
  }
  uint16_t gap_ns(uint32_t i) const {
    uint16_t gap;
    std::memcpy(&gap, samples + 4 * static_cast<size_t>(i), sizeof gap);
    return gap;
  }
};

// Who receives them. Windows and losses come in their stream's order with the faults.
class FaultSink {
 public:
  virtual ~FaultSink() = default;
  virtual void on_faults(const FaultPiece& piece) = 0;
  virtual void on_window(uint32_t stream, uint64_t timestamp, const trace::Window& window) = 0;
  virtual void on_lost(uint64_t timestamp, uint64_t records) = 0;
};

class FaultFeed {
 public:
  // bursts: none when nullptr. Both must outlive the feed.
  FaultFeed(std::vector<TraceStream>& streams, uint32_t page_bytes, const Bursts* bursts = nullptr);

  // Everything that happened before `limit`.
  void drain(uint64_t limit, FaultSink& sink) {
    if (earliest_ < limit) drain_all(limit, sink);
  }

 private:
  struct Head {
    TraceStream* stream = nullptr;
    uint32_t number = 0;
    bool more = false;
    bool in_run = false;
    FaultPiece rest;                     // of the run under way
    std::vector<trace::ZeroPages> zero;  // in it
    uint32_t period = 1;
    uint64_t next_ns = 0;
  };
  void drain_all(uint64_t limit, FaultSink& sink);
  void drain_head(Head& head, uint64_t limit, FaultSink& sink);
  void begin_event(Head& head, FaultSink& sink);
  void give(Head& head, uint64_t limit, FaultSink& sink);
  uint32_t label_read(Head& head) const;
  static void advance(Head& head);

  std::vector<Head> heads_;
  uint32_t page_bytes_;
  const Bursts* bursts_;
  uint64_t earliest_ = std::numeric_limits<uint64_t>::max();
};

}  // namespace ftprof
