// The layer around one call of the mmap family, with the real function as an argument.
//
// A mapping of the program's of at least min_size is a block, followed by range because it may be
// cut anywhere. What an allocator maps for itself is no block (its blocks are inside), only a
// RangeOp, and so is a small mapping: programs that map one small file after the other would have
// faults at addresses that no reading of the maps ever lists. munmap, and whatever replaces a
// mapping, is recorded before the call: the addresses may belong to another thread's mapping the
// moment it has done its work.
#pragma once

#include <sys/mman.h>

#include "preload/record.h"
#include "preload/sampling.h"
#include "preload/state.h"
#include "preload/thread_state.h"

namespace ftprof {

// What a call takes out of the tracked ranges, to be put back should it fail.
class CutRanges {
 public:
  void cut(uintptr_t begin, size_t bytes) { count_ = cut_ranges(begin, bytes, ranges_, kMost); }
  void put_back() const {
    for (size_t i = 0; i < count_; ++i) reinstate_range(ranges_[i]);
  }

 private:
  static constexpr size_t kMost = 8;  // calls that cut more and fail are not known
  TrackedRange ranges_[kMost];
  size_t count_ = 0;
};

struct MapCall {
  uintptr_t address;  // as asked
  size_t bytes;
  int flags, file;
  trace::Caller by;
  trace::Api api = trace::Api::mmap;
};

uint8_t block_flags(const MapCall& call);
bool worth_tracking(const MapCall& call);  // by the program, and large
// No block, but its faults shall have an owner even if no reading of the maps ever lists it.
bool worth_noting(const MapCall& call);

// A range that is about to be mapped over or unmapped: the event, and the tracked part taken out.
void record_loss(trace::RangeKind kind, trace::Caller by, uintptr_t begin, size_t bytes,
                 CutRanges* cut);

inline bool map_failed(void* result) {
  return result == MAP_FAILED;
}

template <class Real>
void* wrap_map(const MapCall& call, Real real) {
  CutRanges cut;
  TrackedRange whole;
  double weight = 1;
  if ((call.flags & MAP_FIXED) && look_at_ranges(call.address, call.bytes, &whole) != Overlap::none)
    record_loss(trace::RangeKind::replace, call.by, call.address, call.bytes, &cut);
  bool block = worth_tracking(call) && can_record(true) && sample_block(call.bytes, &weight);
  bool note = worth_noting(call) && can_record(false);
  if (!block && !note) {
    void* result = real();
    if (map_failed(result)) cut.put_back();
    return result;
  }
  bool own = call.by == trace::Caller::program;
  CallMeter meter(own && !block ? CallFaults::ignore : CallFaults::count);
  meter.before_call();
  void* result = real();
  meter.after_call();
  auto address = reinterpret_cast<uintptr_t>(result);
  if (map_failed(result))
    cut.put_back();
  else if (block)
    record_block({call.api, address, call.bytes, weight, 0, block_flags(call), Home::range}, meter);
  else
    record_range(
        look_before({trace::RangeKind::map, call.by, block_flags(call), address, call.bytes}),
        meter);
  if (block)
    meter.finish(call.bytes, weight, Charge::hand_out);
  else
    meter.finish(0, 0);
  return result;
}

// munmap of exactly one tracked mapping: a block's end like any other.
template <class Real>
int wrap_whole_unmap(const TrackedRange& range, Real real) {
  size_t bytes = range.end - range.begin;
  CutRanges cut;
  CallMeter meter(CallFaults::ignore);
  record_release(trace::Api::munmap, range.begin, bytes);
  cut.cut(range.begin, bytes);
  meter.before_call();
  int status = real();
  meter.after_call();
  if (status == 0)
    record_released(range.begin, bytes, meter);
  else
    cut.put_back();
  meter.finish(bytes, static_cast<double>(range.weight), Charge::give_back);
  return status;
}

template <class Real>
int wrap_unmap(trace::Caller by, uintptr_t begin, size_t bytes, Real real) {
  TrackedRange whole;
  Overlap overlap = look_at_ranges(begin, bytes, &whole);
  if (!can_record(false)) {
    CutRanges cut;
    if (overlap != Overlap::none) cut.cut(begin, bytes);
    return real();
  }
  if (overlap == Overlap::exact && by == trace::Caller::program)
    return wrap_whole_unmap(whole, real);
  bool large = bytes >= g_state.settings.blocks_min_size;
  if (overlap == Overlap::none && by == trace::Caller::program && !large) return real();
  CutRanges cut;
  CallMeter meter(CallFaults::ignore);
  record_loss(trace::RangeKind::unmap, by, begin, bytes, &cut);
  meter.before_call();
  int status = real();
  meter.after_call();
  if (status != 0) cut.put_back();
  meter.finish(0, 0);
  return status;
}

// madvise and mprotect: nothing changes hands, so they are recorded once they succeeded.
template <class Real>
int wrap_change(const RangeChange& change, Real real) {
  TrackedRange whole;
  bool large = change.bytes >= g_state.settings.blocks_min_size;
  bool interesting = change.by == trace::Caller::allocator ||
                     (large && change.kind == trace::RangeKind::advise) ||
                     look_at_ranges(change.address, change.bytes, &whole) != Overlap::none;
  if (!interesting || !can_record(false)) return real();
  CallMeter meter;
  trace::RangeOp event = look_before(change);
  meter.before_call();
  int status = real();
  meter.after_call();
  if (status == 0) record_range(event, meter);
  meter.finish(0, 0);
  return status;
}

struct RemapCall {
  uintptr_t old_address;
  size_t old_bytes, new_bytes;
  int flags;
  uintptr_t new_address;  // with MREMAP_FIXED
  trace::Caller by;
};

// The old mapping's end, as the new one's record needs it.
struct RemapOld {
  Overlap overlap = Overlap::none;
  TrackedRange whole;
  CutRanges cut;
};
// Before the call: ends what the call moves away or maps over.
void begin_remap(const RemapCall& call, RemapOld* old);
// After it.
void end_remap(const RemapCall& call, const RemapOld& old, void* result, double weight, bool block,
               const CallMeter& meter);

template <class Real>
void* wrap_remap(const RemapCall& call, Real real) {
  double weight = 1;
  bool large = call.new_bytes >= g_state.settings.blocks_min_size;
  bool block = large && call.by == trace::Caller::program && !t_thread.inside && can_record(true) &&
               sample_block(call.new_bytes, &weight);
  if (!can_record(false)) return real();
  RemapOld old;
  CallMeter meter;
  begin_remap(call, &old);
  meter.before_call();
  void* result = real();
  meter.after_call();
  end_remap(call, old, result, weight, block, meter);
  meter.finish(block ? call.new_bytes : 0, block ? weight : 0);
  return result;
}

}  // namespace ftprof
