// Tries what the preloaded library does to record faults: a ring per CPU, page-fault events on a
// thread, inherited by its threads, user mode only. Sharing no code with the library, it must stay
// in step with preload/perf_events.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ftprof {

struct PerfVerdict {
  bool permitted = false;
  size_t ring_bytes = 0;  // per CPU; smaller than kWantedRing where locked memory is short
  int error = 0;          // errno of the call that failed
  std::string call;       // "perf_event_open", "mmap of a ring", ... ; empty when permitted
  uint64_t recorded = 0;  // of the faults made for the test
};

inline constexpr size_t kWantedRing = 512 * 1024;

// Events on the calling thread, for probing and for measuring what they cost.
class PerfProbe {
 public:
  enum Set { kEntries = 1, kHandled = 2 };

  PerfProbe();
  ~PerfProbe();
  PerfProbe(const PerfProbe&) = delete;
  PerfProbe& operator=(const PerfProbe&) = delete;

  // rings() says whether they were to be had; open() needs them.
  const PerfVerdict& rings() const { return verdict_; }
  // `sets` is a sum of Set. False and errno when refused; then nothing is open.
  bool open(int sets, uint64_t period);
  void close();
  // Empties the rings; the samples that were in them.
  uint64_t drain();

 private:
  struct Ring {
    int event = -1;
    unsigned cpu = 0;
    void* memory = nullptr;
  };
  bool open_rings(size_t bytes);
  bool open_ring(unsigned cpu, size_t bytes);
  void close_rings();
  bool open_event(const Ring& ring, uint64_t config, uint64_t period);

  PerfVerdict verdict_;
  std::vector<Ring> rings_;
  std::vector<int> events_;
};

// Opens everything, makes faults, and counts the records.
PerfVerdict try_perf();

}  // namespace ftprof
