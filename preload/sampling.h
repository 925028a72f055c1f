// Which blocks are recorded. All of them, while the profiler's own time stays within the budget;
// above it, blocks are sampled by bytes.
//
// By bytes: each thread counts down a number of bytes drawn from an exponential distribution of
// mean M, and the block in which the count ends is recorded. A block of s bytes is so recorded with
// probability p = 1 - exp(-s/M) whatever came before it, and stands for 1/p blocks: big blocks
// nearly always stay, and totals scale without bias. Passing a block by costs one subtraction.
#pragma once

#include <stdint.h>

#include <atomic>

#include "preload/thread_state.h"

namespace ftprof {

// What a record is charged to the bucket. A recorded block's give-back is recorded in any case, and
// costs about twice as much as its hand-out: it is paid for in advance, or a program that first
// allocates and then frees would be slowed by what nobody can spare it any more.
enum class Charge : uint8_t { hand_out, give_back, other };

// Chooses M. Fed with every record; not thread-safe (its user serialises or drops feeds).
//
// The profiler may spend the share `budget` of the elapsed time out of a bucket that holds
// `credit_ns` at first, so that a small program is recorded exactly, and two fifths of it later.
// Even so it may not take more than half of the time within a window of some milliseconds, nor, in
// a loop of nothing but malloc and free, more than 0.1 ms before it samples: such a program is at
// most about twice as slow.
class SamplingControl {
 public:
  constexpr SamplingControl() = default;
  void configure(double budget, uint64_t credit_ns, uint64_t now);
  // One record at `now` that cost self_ns, for a block of `bytes` that stands for `weight`. True
  // when mean() changed.
  bool feed(uint64_t now, uint64_t self_ns, uint64_t bytes, double weight,
            Charge charge = Charge::other);
  // Nothing was recorded for a while: forgets much of the reason to sample.
  bool relax(uint64_t now);
  // Mean bytes that a block is sampled by at the least, whatever the budget: as a trace nears
  // trace.max_size. True when mean() changed.
  bool at_least(double mean);
  double mean() const { return mean_; }  // 0: every block
  // Costly lookups are affordable: always, where the budget is all there is.
  bool easy() const { return budget_ >= 1 || tokens_ * 2 > most_; }

 private:
  // What the records since `begin` came to.
  struct Window {
    uint64_t begin = 0, self = 0, records = 0;
    double bytes = 0, blocks = 0;
    void add(uint64_t self_ns, uint64_t block_bytes, double weight);
    double share(uint64_t now) const;  // of the elapsed time that the profiler took
  };
  void refill(uint64_t now);
  bool is_loop(uint64_t now);
  bool decide(const Window& window, uint64_t now);
  void restart(uint64_t now);

  double budget_ = 0.03, most_ = 0, tokens_ = 0, mean_ = 0, least_ = 0;
  uint64_t refilled_ = 0;
  Window long_, short_;
};

// Decides about a block of `bytes` for this thread; *weight is what it stands for.
bool sample_block(uint64_t bytes, double* weight);
// After a record.
void account_record(uint64_t now, uint64_t self_ns, uint64_t bytes, double weight, Charge charge);
// The collector calls this about every 100 ms.
void sampling_tick(uint64_t now);
void configure_sampling(uint64_t now);
// Whether the bucket is at least half full: costly lookups are affordable.
bool budget_is_easy();

// Raised whenever M changes: countdowns drawn before are void. Read by the hooks.
extern std::atomic<uint32_t> g_sampling_epoch;

// The whole decision for a block that is passed by.
inline bool pass_by(ThreadState* thread, uint64_t bytes) {
  if (thread->countdown <= static_cast<int64_t>(bytes) ||
      thread->sampling_epoch != g_sampling_epoch.load(std::memory_order_relaxed))
    return false;
  thread->countdown -= static_cast<int64_t>(bytes);
  return true;
}

// How coarse sampling has to be at the least when `used` of `most` bytes of the trace are written:
// every block up to half of it, then four times coarser with each further tenth.
double least_mean(uint64_t used, uint64_t most);

// exp(-x) for x >= 0 and -ln(u) for 0 < u <= 1, to about 1e-9: libm is no dependency.
double exp_minus(double x);
double minus_log(double u);

}  // namespace ftprof
