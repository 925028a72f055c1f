// When faults are recorded under faults.period=auto: a bucket of time that recording may cost.
//
// It is filled by a share of the CPU time that the program uses and emptied by what recording
// costs: the kernel's extra time for each recorded fault and the collector's own. While there is
// some, every fault is recorded; when it is empty the events are closed, and opened again for a
// burst when enough has come together to pay for it. A program that faults little is thus recorded
// throughout, one that does nothing else is sampled in time. The bursts' distance is jittered: a
// fixed one may beat with what the program does. Nor is the bucket emptied on the first moments of
// a torrent of faults, which are slower than the rest of it: a burst takes a quarter of it, and
// the next one is some way off.
//
// Pure arithmetic; all times in ns.
#pragma once

#include <stdint.h>

namespace ftprof {

class FaultBudget {
 public:
  // The bucket starts with `credit` and never holds more.
  FaultBudget(double share, uint64_t credit, uint64_t seed)
      : share_(share), credit_(static_cast<double>(credit)), held_(credit_), random_(seed | 1) {}

  void earn(uint64_t program_ns) {
    held_ += share_ * static_cast<double>(program_ns);
    if (held_ > credit_) held_ = credit_;
    burst_program_ += static_cast<double>(program_ns);
  }
  void spend(double ns) { held_ -= ns, burst_spent_ += ns; }

  double share() const { return share_; }
  bool exhausted() const { return held_ <= 0 || is_torrent(); }
  // Closed events may open again. burst_ns: what the shortest burst costs, switching included.
  bool affords(double burst_ns) const { return wait_ns(burst_ns) == 0; }
  void begin_burst();
  // CPU time of the program after which affords(burst_ns) may hold; 0 when it does.
  uint64_t wait_ns(double burst_ns) const;

 private:
  bool is_torrent() const {
    return burst_spent_ * 4 > credit_ && burst_spent_ * 4 > burst_program_;
  }

  double share_, credit_, held_;
  double burst_spent_ = 0, burst_program_ = 0;  // since the last burst began
  double jitter_ = 1;
  uint64_t random_;
};

}  // namespace ftprof
