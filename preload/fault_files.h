// The files faults_0 … faults_N: where finished runs go. A CPU's file appears with its first fault.
//
// Window events say what was recorded from when on: each file begins with the one in force.
// The collector's alone.
#pragma once

#include <stdint.h>

#include "preload/fault_runs.h"
#include "preload/stream.h"

namespace ftprof {

class FaultFiles : public FaultSink {
 public:
  // dir: the image's folder. A later begin() (the collector started anew) makes new files.
  bool begin(int dir, unsigned cpus);
  void close();

  // From `time` on one fault in `period` is recorded (0: none), one in timed_period with its time.
  void set_window(uint32_t period, uint32_t timed_period, uint64_t time);
  void lost(unsigned cpu, uint64_t records);
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

  int dir_ = -1;
  unsigned cpus_ = 0, begun_ = 0;
  File* files_ = nullptr;
  trace::Window window_ = {0, 0};
  uint64_t window_since_ = 0;
  uint64_t code_pages_[kCodePages] = {};
};

}  // namespace ftprof
