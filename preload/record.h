// What the wrap layer knows about one call becomes events, the block table and the account here.
// Unit tests of the wrap layer link their own version of these functions.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "preload/block_table.h"
#include "preload/ranges.h"
#include "preload/sampling.h"
#include "preload/trace_format.h"

namespace ftprof {

// Whether the thread's page faults inside the call matter: each look at them is a system call.
enum class CallFaults : bool { ignore, count };

// Measures one call of the next definition, and the library's own time around it.
class CallMeter {
 public:
  explicit CallMeter(CallFaults faults = CallFaults::count);  // the hook was entered
  void before_call();                                         // directly before
  void after_call();                                          // and after the real call
  // The hook is left: the account.
  void finish(uint64_t bytes, double weight, Charge charge = Charge::other) const;

  uint32_t call_ns() const;
  uint32_t minor() const { return minor_; }
  uint32_t major() const { return major_; }

 private:
  void read_usage(uint32_t* minor, uint32_t* major) const;
  const CallFaults faults_;
  uint64_t entered_, begun_ = 0, ended_ = 0;
  uint32_t minor_ = 0, major_ = 0;
};

// Where a block is looked up again: the allocators' by address, mappings by range, and those of the
// program's own pools apart, because a pool's first block often begins where its slab does.
enum class Home : uint8_t { heap, range, pool };

struct NewBlock {
  trace::Api api;
  uintptr_t address;
  size_t bytes;
  double weight = 1;
  uintptr_t moved_from = 0;
  uint8_t flags = 0;
  Home home = Home::heap;
};

// Whether records can be written now; begin: this would be a block, so the image may begin.
bool can_record(bool begin);

void record_block(const NewBlock& block, const CallMeter& meter);
// The block at `address`, out of the table; false when it is not a tracked one.
bool take_block(uintptr_t address, TrackedBlock* block);
bool take_pool_block(uintptr_t address, TrackedBlock* block);
// Its call failed: the block goes on.
void reinstate_block(uintptr_t address, const TrackedBlock& block);

void record_release(trace::Api api, uintptr_t address, size_t bytes);
void record_released(uintptr_t address, size_t bytes, const CallMeter& meter);

// A mapping's life is looked up and cut by range.
Overlap look_at_ranges(uintptr_t begin, size_t bytes, TrackedRange* whole);
size_t cut_ranges(uintptr_t begin, size_t bytes, TrackedRange* cut, size_t most);
void reinstate_range(const TrackedRange& range);

struct RangeChange {
  trace::RangeKind kind;
  trace::Caller by;
  uint32_t detail;
  uintptr_t address;
  size_t bytes;
};
// The pages of the range before the call; only when they are worth looking up.
trace::RangeOp look_before(const RangeChange& change);
void record_range(trace::RangeOp event);                          // no call to measure, or not yet
void record_range(trace::RangeOp event, const CallMeter& meter);  // after the call

}  // namespace ftprof
