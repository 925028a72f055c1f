// The files faults_0 … faults_N: where finished runs go. A CPU's file appears with its first fault.
//
// Window events say what was recorded from when on: each file begins with the one in force.
// The collector's alone.
#pragma once

#include <stdint.h>

#include "preload/fault_runs.h"
#include "preload/stream.h"
#include "preload/zero_pages.h"

namespace ftprof {

class FaultFiles : public FaultSink {
 public:
  // dir: the image's folder. A later begin() (the collector started anew) makes new files.
  // find_reads: say of each run which of its pages are the zero page, where that can be told.
  bool begin(int dir, unsigned cpus, bool find_reads);
  void close();

  // From `time` on one fault in `period` is recorded (0: none), one in timed_period with its time.
  void set_window(uint32_t period, uint32_t timed_period, uint64_t time);
  // As before, but one in timed_period with its time from the latest record of each file on.
  void set_timed(uint32_t timed_period);
  void lost(unsigned cpu, uint64_t records);
  bool finds_reads() const { return zero_pages_.can_tell(); }
  // Code may have come and gone: objects are looked up again.
  void forget_code();

  void fault_run(trace::u32 cpu, trace::u64 time, const trace::FaultRun& run,
                 const trace::u16* samples) override;
  void fault(trace::u32 cpu, trace::u64 time, const trace::Fault& fault) override;

 private:
  struct File {
    Stream stream;
    uint64_t newest;
    bool tried;
  };
  static constexpr unsigned kCodePages = 64;

  File* file_of(unsigned cpu);
  void write_window(File* file, uint64_t time);
  void note_code_of(uint64_t ip);
  void note_reads(File* file, uint64_t time, uint64_t address, size_t pages);

  int dir_ = -1;
  unsigned cpus_ = 0, begun_ = 0;
  File* files_ = nullptr;
  trace::Window window_ = {0, 0};
  uint64_t window_since_ = 0;
  uint64_t code_pages_[kCodePages] = {};
  ZeroPages zero_pages_;
};

}  // namespace ftprof
