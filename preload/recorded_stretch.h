// A stretch of faults of the calling thread's own, recorded as the program's are: for calibration.
#pragma once

#include <stdint.h>

#include "preload/perf_events.h"

namespace ftprof {

class RecordedStretch : RingVisitor {
 public:
  static constexpr int kMost = 2048;

  // events: with its rings open and no fault event.
  RecordedStretch(PerfEvents* events, PerfRing* rings, uint64_t period, int tid)
      : events_(events), rings_(rings), period_(period), tid_(static_cast<uint32_t>(tid)) {}

  // Calls fault(), with the events open around it, and keeps the raw times of the faults at
  // addresses from `from` on. False when the events could not be opened.
  template <class Fault>
  bool record(uintptr_t from, Fault fault) {
    from_ = from;
    bool open = begin();
    if (open) fault();
    end();
    return open;
  }

  int count() const { return count_; }
  // Without those in which the thread had lost its CPU.
  double mean_of_usual();

 private:
  bool begin();
  void end();

  void on_entry(uint32_t tid, uint64_t ip, uint64_t addr, uint64_t time) override;
  void on_handled(uint32_t tid, uint64_t addr, uint64_t time, bool major) override;
  void on_lost(uint64_t) override {}
  void on_thread_name(uint32_t, const char*) override {}
  void on_thread_begin(uint32_t, uint32_t) override {}
  void on_thread_end(uint32_t) override {}

  PerfEvents* events_;
  PerfRing* rings_;
  uint64_t period_;
  uint32_t tid_;
  uint64_t from_ = 0, addr_ = 0, time_ = 0;
  int count_ = 0;
  double raw_[kMost];
};

}  // namespace ftprof
