// Records faults: opens the events, drains the rings into runs and files, and under
// faults.period=auto opens and closes the events as the budget allows. Driven by the collector;
// everything here belongs to its thread.
#pragma once

#include <stdint.h>

#include "preload/calibration.h"
#include "preload/fault_budget.h"
#include "preload/fault_files.h"
#include "preload/fault_plan.h"
#include "preload/fault_runs.h"
#include "preload/lost_count.h"
#include "preload/perf_events.h"
#include "preload/thread_names.h"

namespace ftprof {

class FaultRecorder : RingVisitor {
 public:
  // dir: the image's folder. 0, or -errno when perf is refused; prices are found out either way.
  long start(const FaultPlan& plan, int dir, int collector_tid);

  // Where perf is not to be tried: prices alone.
  void only_calibrate(bool brief) { calibrate_bare(&calibration_, brief); }

  // Reads what has come; true if there was something.
  bool drain();
  // Opens or closes events as the budget says. program_ns: CPU time of the program so far, without
  // the collector's; own_ns: the collector's.
  // True when a window began or ended.
  bool adapt(uint64_t program_ns, uint64_t own_ns);
  // Everything recorded so far is in the trace on return, but what is held up by faults that are in
  // the kernel.
  void settle();
  // Most likely nothing comes after: what was held up is written, too.
  void finish();
  // Likewise, and events, rings and files are closed.
  void stop();
  void forget_code() { files_.forget_code(); }

  bool recording() const { return recording_; }
  bool window_open() const { return events_.is_on(PerfEvents::kEntries); }
  // CPU time of the program after which adapt() may open a window; 0 while one is open.
  uint64_t wait_ns() const { return window_open() || full_ ? 0 : budget_.wait_ns(burst_ns()); }
  // Of the program's CPU time, what recording may cost.
  double share() const { return budget_.share(); }
  // What recording has cost the program's own threads so far.
  uint64_t slowed_ns() const { return slowed_ns_; }
  bool reads_known() const { return recording_ && files_.finds_reads(); }
  const PerfEvents& events() const { return events_; }
  const Calibration& calibration() const { return calibration_; }

 private:
  bool reserve();
  long open_window();
  void close_window();
  long open_timed();
  void close_timed();
  void announce();
  bool complete() const;
  void pay(uint64_t program_ns, uint64_t own_ns);
  void save_space();
  void adapt_timed();
  void resynchronise();
  void end_faults_in_kernel();
  void report_dropped();
  void tell_lost(unsigned cpu, uint64_t records);
  double record_ns() const;
  double burst_ns() const;

  // From the ring of reading_.
  void on_entry(uint32_t tid, uint64_t ip, uint64_t addr, uint64_t time) override;
  void on_handled(uint32_t tid, uint64_t addr, uint64_t time, bool major) override;
  void on_lost(uint64_t records) override;
  void on_thread_name(uint32_t tid, const char* name) override { names_.named(tid, name); }
  void on_thread_begin(uint32_t, uint32_t) override {}
  void on_thread_end(uint32_t tid) override { names_.ended(tid); }

  FaultPlan plan_ = {};
  int collector_tid_ = 0;
  bool recording_ = false;
  bool timed_ = false;
  bool full_ = false;   // trace.max_size is near
  bool lossy_ = false;  // handled samples may be missing
  bool lost_any_ = false;
  unsigned reading_ = 0;
  PerfRing* rings_ = nullptr;
  LostCount* lost_ = nullptr;   // per CPU
  bool* unfinished_ = nullptr;  // per CPU: a run may be open
  FaultFiles files_;
  FaultJoin* join_ = nullptr;
  PerfEvents events_;
  Calibration calibration_;
  FaultBudget budget_{0, 0, 1};
  ThreadNames names_;
  uint64_t program_ns_ = 0, own_ns_ = 0;
  uint64_t paid_faults_ = 0;  // already taken from the budget
  uint64_t slowed_ns_ = 0;
  uint64_t switch_ns_ = 250000;  // what opening a window cost last; the first one costs far more
  uint64_t checked_ns_ = 0, checked_faults_ = 0, checked_timed_ = 0;
};

}  // namespace ftprof
