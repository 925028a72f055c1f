#include "preload/wrap_map.h"

namespace ftprof {

using trace::Api;
using trace::RangeKind;

uint8_t block_flags(const MapCall& call) {
  uint8_t flags = 0;
  int type = call.flags & MAP_TYPE;
  if (type == MAP_SHARED || type == MAP_SHARED_VALIDATE) flags |= trace::kSharedMapping;
  if (!(call.flags & MAP_ANONYMOUS)) flags |= trace::kFileMapping;
  if (call.flags & MAP_HUGETLB) flags |= trace::kHugeTlb;
  if (call.flags & (MAP_POPULATE | MAP_LOCKED)) flags |= trace::kPopulated;
  return flags;
}

bool worth_tracking(const MapCall& call) {
  return call.by == trace::Caller::program && !t_thread.inside &&
         call.bytes >= g_state.settings.blocks_min_size;
}

bool worth_noting(const MapCall& call) {
  if (call.by == trace::Caller::allocator) return true;
  return call.by == trace::Caller::program && !t_thread.inside &&
         call.bytes < g_state.settings.blocks_min_size;
}

void record_loss(RangeKind kind, trace::Caller by, uintptr_t begin, size_t bytes, CutRanges* cut) {
  if (can_record(false)) record_range(look_before({kind, by, 0, begin, bytes}));
  cut->cut(begin, bytes);
}

namespace {

bool keeps_old(const RemapCall& call) {
  return call.old_bytes == 0;
}

NewBlock moved_block(const RemapCall& call, const RemapOld& old, uintptr_t address, double weight) {
  bool moved = !keeps_old(call);
  NewBlock block{Api::mremap, address, call.new_bytes, weight};
  block.moved_from = moved ? call.old_address : 0;
  block.flags = static_cast<uint8_t>(old.whole.flags | (moved ? trace::kMovedFromOld : 0));
  block.home = Home::range;
  return block;
}

}  // namespace

// An old size of 0 duplicates a shared mapping: the old one stays as it is.
void begin_remap(const RemapCall& call, RemapOld* old) {
  if (call.flags & MREMAP_FIXED) {
    CutRanges lost;
    TrackedRange whole;
    if (look_at_ranges(call.new_address, call.new_bytes, &whole) != Overlap::none)
      record_loss(RangeKind::replace, call.by, call.new_address, call.new_bytes, &lost);
  }
  if (keeps_old(call)) return;
  old->overlap = look_at_ranges(call.old_address, call.old_bytes, &old->whole);
  if (old->overlap == Overlap::exact) {
    record_release(Api::mremap, call.old_address, call.old_bytes);
    old->cut.cut(call.old_address, call.old_bytes);
  } else if (old->overlap != Overlap::none || call.by == trace::Caller::allocator) {
    record_loss(RangeKind::unmap, call.by, call.old_address, call.old_bytes, &old->cut);
  }
}

void end_remap(const RemapCall& call, const RemapOld& old, void* result, double weight, bool block,
               const CallMeter& meter) {
  if (map_failed(result)) return old.cut.put_back();
  auto address = reinterpret_cast<uintptr_t>(result);
  if (old.overlap == Overlap::exact) record_released(call.old_address, call.old_bytes, meter);
  if (block)
    record_block(moved_block(call, old, address, weight), meter);
  else if (call.by == trace::Caller::allocator)
    record_range(look_before({RangeKind::map, call.by, 0, address, call.new_bytes}), meter);
#ifdef MREMAP_DONTUNMAP
  // The pages moved, the old range stays mapped and is empty: a block that begins anew.
  if ((call.flags & MREMAP_DONTUNMAP) && old.overlap == Overlap::exact)
    record_block({Api::mremap, call.old_address, call.old_bytes,
                  static_cast<double>(old.whole.weight), 0, old.whole.flags, Home::range},
                 meter);
#endif
}

}  // namespace ftprof
