// What the collector's thread does from its first instruction to its last.
//
// It owns a descriptor table of its own, empty but for what it opens here: the program neither sees
// nor closes its files. It sleeps until a ring has filled to its mark or a time-out that grows
// while nothing happens. Requests from program threads are words that it looks at after every
// wake-up.
#pragma once

#include <stdint.h>

#include <atomic>

#include "preload/fault_recorder.h"
#include "preload/snapshot.h"

struct pollfd;

namespace ftprof {

// Between program threads and the collector; all words only ever grow.
struct CollectorRequests {
  std::atomic<uint32_t> ready{0};     // 1: faults are being recorded, or will not be
  std::atomic<uint32_t> finish{0};    // drains asked for
  std::atomic<uint32_t> finished{0};  // the last one served
  std::atomic<uint32_t> stop{0};      // 1: end after a last drain
  std::atomic<int> refusal{0};        // -errno of perf_event_open, when perf was tried
};

class CollectorLoop {
 public:
  explicit CollectorLoop(CollectorRequests* requests) : requests_(requests) {}
  void run();

 private:
  bool prepare();
  void begin();
  bool ends_at_once();
  void tell_refusal(long error);
  void round();
  void refill();
  void wait();
  void wait_for_rings(uint64_t ns);
  void wait_for_slots(uint64_t ns);
  void account();
  void snapshot_if_due(uint64_t now);
  void look_if_due();
  void price_huge();
  void serve();
  void finish();
  bool program_is_gone();
  bool in_gap() const { return recorder_.recording() && !recorder_.window_open(); }
  uint64_t program_ns() const { return process_ns_ - own_ns_; }

  CollectorRequests* requests_;
  FaultRecorder recorder_;
  Snapshots snapshots_;
  int tid_ = 0, dir_ = -1, wake_fd_ = -1;
  bool huge_priced_ = false;
  bool foreign_signal_ = false;  // what is pending is the program's: do not poll for it
  pollfd* polled_ = nullptr;
  unsigned polled_count_ = 0;
  uint32_t slots_seen_ = 0;
  uint64_t wait_ns_ = 0;
  uint64_t own_ns_ = 0, process_ns_ = 0, own_faults_ = 0, slot_faults_ = 0, slowed_ns_ = 0;
  uint64_t ticked_ = 0, snapshot_due_ = 0, refill_from_ = 0;
  uint64_t look_due_ = 0;  // in CPU time of the program
  uint64_t looked_faults_ = 0;
};

// The signal that wakes the collector, sent to its thread alone.
inline constexpr int kWakeSignal = 64;

}  // namespace ftprof
