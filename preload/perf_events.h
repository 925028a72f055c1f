// The kernel's page-fault events on the threads of this process, into one ring per CPU.
//
// The rings hang on a dummy event of the collector's own thread, so they outlive the fault events,
// which come and go: an event that is open costs every fault on the machine 40 to 90 ns even while
// it is disabled. Closed events cost nothing, so "off" is closed, as long as the process has few
// threads to open them on again. With many they stay, disabled: that takes a cross-call per thread
// and CPU, and no descriptors. (PERF_EVENT_IOC_PAUSE_OUTPUT was tried: it saves a third.)
//
// Events are opened on every thread that exists and inherited by the threads those make
// (`inherit_thread`: never by child processes). Two sets, switched apart: entries (PAGE_FAULTS, one
// sample when a fault begins) and handled (PAGE_FAULTS_MIN and _MAJ, one when it is done).
//
// Descriptors live in the descriptor table of the thread that opened them: the collector's.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "preload/perf_ring.h"

namespace ftprof {

// Open events, in an array that is mapped once.
class EventList {
 public:
  struct Event {
    int fd;
    uint32_t cpu;
  };

  bool reserve(size_t most);
  bool add(Event event);
  void close_all();
  size_t size() const { return count_; }
  const Event& operator[](size_t i) const { return events_[i]; }

 private:
  Event* events_ = nullptr;
  size_t count_ = 0, capacity_ = 0;
};

class PerfEvents {
 public:
  enum Set : uint8_t { kEntries, kHandled };

  // One ring of `bytes` for each CPU that is online, smaller ones (down to a page) where locked
  // memory is short. 0, or -errno with nothing left open. rings: for `cpus` CPUs.
  long open_rings(PerfRing* rings, unsigned cpus, size_t bytes);
  void close_rings();

  // Observes all threads but `collector_tid`; every period-th fault is sampled. 0, or -errno when
  // the program's main thread could not be observed (then nothing of the set is open).
  long switch_on(Set set, uint64_t period, int collector_tid);
  void switch_off(Set set);
  bool is_closed(Set set) const { return sets_[set].size() == 0; }
  bool is_on(Set set) const { return sets_[set].size() > 0 && !disabled_[set]; }
  // The same on one thread: for the calibration.
  long open_on(Set set, int tid, uint64_t period);
  void close(Set set);

  // Counting of what is dropped begins here, for events that are opened later.
  void begin_count(bool every_fault);
  // Records of this CPU that the kernel has dropped since then, in closed events too. came: those
  // that the ring's reader has seen. Before Linux 6.0 (or `without_lost`) the kernel does not say;
  // where every fault is recorded, it is what the events counted and nobody saw.
  uint64_t dropped(unsigned cpu, uint64_t came) const;
  void without_lost() { counts_dropped_ = false; }
  // Some threads could not be observed, for want of descriptors.
  bool incomplete(Set set) const { return incomplete_[set]; }

  const int* ring_descriptors() const { return ring_fds_; }
  unsigned cpus() const { return cpus_; }

 private:
  long open_ring(unsigned cpu, size_t bytes);
  bool many_threads() const;
  void request(Set set, unsigned long what);
  uint64_t told_by(const EventList::Event& event) const;
  long open_on_threads(Set set, uint64_t period, int collector_tid, int* tids);
  long open_event(Set set, uint64_t config, int tid, unsigned cpu, uint64_t period);

  PerfRing* rings_ = nullptr;
  int* ring_fds_ = nullptr;     // -1 where a CPU is offline
  uint64_t* closed_ = nullptr;  // per CPU: what events told that are closed now
  unsigned cpus_ = 0;
  EventList sets_[2];
  bool counts_dropped_ = true;  // else they tell how many faults they saw
  bool every_fault_ = false;
  bool disabled_[2] = {};
  bool incomplete_[2] = {};
};

}  // namespace ftprof
