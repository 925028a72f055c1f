// The layer around one call of the allocation interface. Each function takes the real one as an
// argument, so that its logic, and above all its order, is tested with a fake allocator.
//
// The order rules, which are what keeps the books right with many threads:
//   - an allocation is recorded after it succeeded, before its address is returned;
//   - a release is recorded before the real call, because the address may be handed out again to
//     another thread the moment that call has done its work;
//   - a failed allocation is no event; a failed realloc puts the old block back.
// None of these touches errno: whatever the real call left there is what the program sees.
#pragma once

#include "preload/record.h"
#include "preload/sampling.h"
#include "preload/thread_state.h"

namespace ftprof {

// malloc and its like; `real` returns the block or null.
template <class Real>
void* wrap_allocation(trace::Api api, size_t bytes, Real real) {
  double weight = 1;
  if (!can_record(true) || !sample_block(bytes, &weight)) return real();
  CallMeter meter;
  meter.before_call();
  void* block;
  {
    Inside inside;
    block = real();
  }
  meter.after_call();
  if (block == nullptr) return nullptr;
  record_block({api, reinterpret_cast<uintptr_t>(block), bytes, weight}, meter);
  meter.finish(bytes, weight, Charge::hand_out);
  return block;
}

// The same for functions that may throw: no object of ours lives across the call that would have to
// be destroyed, so the frames need no exception tables.
template <class Real>
void* call_operator(Real real) {
  t_thread.asked_as = kWithinOperator;
  void* block = real();
  t_thread.asked_as = trace::Api::unknown;
  return block;
}

template <class Real>
void* wrap_throwing_allocation(trace::Api api, size_t bytes, Real real) {
  double weight = 1;
  if (!can_record(true) || !sample_block(bytes, &weight)) return call_operator(real);
  CallMeter meter;
  meter.before_call();
  void* block = call_operator(real);
  meter.after_call();
  if (block == nullptr) return nullptr;
  record_block({api, reinterpret_cast<uintptr_t>(block), bytes, weight}, meter);
  meter.finish(bytes, weight, Charge::hand_out);
  return block;
}

// posix_memalign: the block comes back through `*to`, which a failure leaves alone.
template <class Real>
int wrap_posix_memalign(trace::Api api, void** to, size_t bytes, Real real) {
  int status = 0;
  wrap_allocation(api, bytes, [&]() -> void* {
    status = real();
    return status == 0 ? *to : nullptr;
  });
  return status;
}

// free and its like, for a pointer that the filter lets through.
template <class Real>
void wrap_release(trace::Api api, void* pointer, Real real) {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  TrackedBlock block;
  if (!take_block(address, &block)) return real();
  if (!can_record(false)) return real();
  CallMeter meter(CallFaults::ignore);
  record_release(api, address, block.bytes);
  meter.before_call();
  {
    Inside inside;
    real();
  }
  meter.after_call();
  record_released(address, block.bytes, meter);
  meter.finish(block.bytes, block.weight, Charge::give_back);
}

// realloc and reallocarray. `least`: smaller blocks are not tracked. A block that grows or shrinks
// is a release and a new hand-out, each decided on its own, which keeps sampling without bias.
template <class Real>
void* wrap_reallocation(trace::Api api, void* old, size_t bytes, size_t least, Real real) {
  auto address = reinterpret_cast<uintptr_t>(old);
  TrackedBlock block;
  bool was_tracked = old != nullptr && take_block(address, &block);
  double weight = 1;
  bool recording = can_record(bytes >= least);
  bool becomes_tracked = recording && bytes >= least && sample_block(bytes, &weight);
  if (!recording || (!was_tracked && !becomes_tracked)) {
    void* moved = real();
    // Not recording now, but the table must stay true for later.
    if (was_tracked && moved == nullptr && bytes != 0) reinstate_block(address, block);
    return moved;
  }
  CallMeter meter;
  if (was_tracked) record_release(api, address, block.bytes);
  meter.before_call();
  void* moved;
  {
    Inside inside;
    moved = real();
  }
  meter.after_call();
  // realloc(p, 0) that returns null has freed; any other null has failed.
  if (moved == nullptr && bytes != 0) {
    if (was_tracked) reinstate_block(address, block);
    return nullptr;
  }
  if (was_tracked) record_released(address, block.bytes, meter);
  if (moved != nullptr && becomes_tracked) {
    NewBlock grown{api, reinterpret_cast<uintptr_t>(moved), bytes, weight};
    if (was_tracked) grown.moved_from = address, grown.flags = trace::kMovedFromOld;
    record_block(grown, meter);
  }
  meter.finish(bytes, weight);
  return moved;
}

}  // namespace ftprof
