// From the kernel's samples to the records of a trace: pairs each fault's entry with its "handled"
// sample by thread and address, and joins faults of one thread by one instruction over consecutive
// pages into runs. Pure logic: no system calls, no clock, memory handed in.
//
// Order. A CPU's faults are written in the order of their entries, because a CTF stream's
// timestamps never run backwards; a fault that is still in the kernel holds up the ones behind it,
// up to kWaiting. A fault may be handled on another CPU than it entered on, and that ring may be
// read first: such handled samples wait for their entry as `orphans`.
//
// The same goes for the thread's next entry: it may be read before the handled sample of the one it
// follows, which therefore is given up only after the rings have been read to the end once more
// (end_of_pass).
//
// What an entry without its handled sample means depends on what is recorded. When every handled
// sample is (complete), the fault failed (SIGSEGV): getrusage does not count it and neither do we.
// Otherwise it is a fault whose time was not sampled.
//
// One thread uses a FaultJoin at a time: the collector.
#pragma once

#include "preload/trace_format.h"

namespace ftprof {

struct FaultEntry {
  trace::u32 tid;
  trace::u64 ip;
  trace::u64 addr;
  trace::u64 time;
};

// Where finished records go: stream of `cpu`, at `time`, which never runs backwards for a CPU.
class FaultSink {
 public:
  virtual void fault_run(trace::u32 cpu, trace::u64 time, const trace::FaultRun& run,
                         const trace::u16* samples) = 0;
  virtual void fault(trace::u32 cpu, trace::u64 time, const trace::Fault& fault) = 0;

 protected:
  ~FaultSink() = default;
};

// The run that a CPU's latest faults form; one at a time, so that its timestamps are in order.
class RunBuilder {
 public:
  static constexpr trace::u32 kLongest = 4096;

  void add(FaultSink& sink, trace::u32 cpu, const FaultEntry& entry, trace::u32 cost_ns, bool major,
           int page_shift);
  void finish(FaultSink& sink, trace::u32 cpu);

 private:
  bool continues(const FaultEntry& entry, trace::u64 page, trace::u32 cost_ns) const;
  void append(const FaultEntry& entry, trace::u64 page, trace::u32 cost_ns);

  FaultEntry first_ = {};
  trace::u64 last_time_ = 0;
  trace::u64 next_page_ = 0;
  trace::u32 faults_ = 0;
  trace::u16 samples_[2 * kLongest];
};

class FaultJoin {
 public:
  // Faults of one CPU that may wait for an earlier one to be handled.
  static constexpr trace::u32 kWaiting = 1024;
  // Faults of one CPU that may be in the kernel at once before the oldest is written untimed.
  static constexpr trace::u32 kOpen = 32;

  static size_t bytes_needed(trace::u32 cpus) { return cpus * sizeof(Lane); }

  // memory: bytes_needed(cpus) zeroed bytes, which outlive this object.
  FaultJoin(FaultSink& sink, void* memory, trace::u32 cpus, int page_shift)
      : sink_(sink), lanes_(static_cast<Lane*>(memory)), cpus_(cpus), page_shift_(page_shift) {}

  // From `since` on every handled fault has its sample. What entered before and is read later may
  // have been handled unseen: it is untimed, not failed.
  void set_complete(bool complete, trace::u64 since = 0);
  // A second sample of the same fault is dropped: a thread that was made while events were being
  // opened may be observed by its own event and by an inherited one.
  void entry(trace::u32 cpu, const FaultEntry& entry);
  void handled(trace::u32 cpu, trace::u32 tid, trace::u64 addr, trace::u64 time, bool major);
  // All rings have been read once. Untimed: no handled samples are recorded, so nothing waits for
  // one; written late, a fault would be stamped later than its block's end.
  void end_of_pass(bool untimed = false);
  // Writes the CPU's unfinished run; faults that are still in the kernel stay.
  void flush(trace::u32 cpu);
  // The end: what is still in the kernel is left out, so that it holds up nothing any more.
  void leave_open(trace::u32 cpu);
  // The window ends: what is still in the kernel is written untimed, nothing is left behind.
  void close(trace::u32 cpu);

  trace::u64 faults() const { return faults_; }
  trace::u64 timed() const { return timed_; }
  trace::u64 failed() const { return failed_; }
  // Sum of the kernel times written, raw, in ns.
  trace::u64 raw_ns() const { return raw_ns_; }

 private:
  enum State : trace::u8 { kInKernel, kDone, kFailed };
  struct Waiting {
    FaultEntry entry;
    trace::u32 cost_ns;
    State state;
    bool major;
    bool followed;           // the thread has entered another fault since
    trace::u32 followed_in;  // and that was read in this pass
  };
  struct Lane {
    Waiting queue[kWaiting];  // [head, tail) modulo kWaiting
    trace::u32 head, tail;
    trace::u32 open[kOpen];  // positions in the queue of the faults in the kernel, oldest first
    trace::u32 open_count;
    RunBuilder run;
  };
  struct Orphan {
    trace::u32 tid;
    trace::u64 addr, time;
    bool major, used;
  };
  static constexpr trace::u32 kOrphans = 32;

  static Waiting& at(Lane& lane, trace::u32 position) { return lane.queue[position % kWaiting]; }
  template <class Matches>
  bool settle(trace::u32 cpu, Matches matches);
  bool settle_anywhere(trace::u32 cpu, trace::u32 tid, trace::u64 addr, trace::u64 time,
                       bool major);
  bool supersede(trace::u32 cpu, const FaultEntry& entry);
  bool take_orphan(const FaultEntry& entry, Waiting& waiting);
  void keep_orphan(trace::u32 tid, trace::u64 addr, trace::u64 time, bool major);
  void close_open(Lane& lane, trace::u32 index, State state);
  State given_up(const Waiting& waiting) const;
  bool expects_handled(const Waiting& waiting) const;
  void give_up_oldest(trace::u32 cpu);
  void write_ready(trace::u32 cpu);
  void write(trace::u32 cpu, const Waiting& waiting);

  FaultSink& sink_;
  Lane* lanes_;
  trace::u32 cpus_;
  int page_shift_;
  trace::u32 open_total_ = 0;
  trace::u32 followed_total_ = 0;
  trace::u32 pass_ = 0;
  bool complete_ = false;
  trace::u64 complete_since_ = 0;
  Orphan orphans_[kOrphans] = {};
  trace::u32 orphan_count_ = 0;
  trace::u32 next_orphan_ = 0;
  trace::u64 faults_ = 0, timed_ = 0, failed_ = 0, raw_ns_ = 0;
};

}  // namespace ftprof
