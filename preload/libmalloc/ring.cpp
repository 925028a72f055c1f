#include "preload/libmalloc/ring.h"

#include <bit>

namespace ftprof::libmalloc {
namespace {

// Written without 2 × wanted, which could overflow.
bool wastes_less_than_half(size_t bytes, size_t wanted) {
  return bytes - wanted < wanted;
}

}  // namespace

// 4096 is class 0, 8192 class 8; in between a class for every 512.
size_t Ring::class_of(size_t bytes) {
  int doubling = std::bit_width(bytes) - 1;
  size_t eighth = bytes >> (doubling - 3) & 7;
  return static_cast<size_t>(doubling - 12) * 8 + eighth;
}

Ring::Verdict Ring::judge(const Held&, size_t bytes) const {
  if (limits_.entries == 0 || bytes > limits_.entry_bytes) return Verdict::unmap;
  bool hoards = unmarked_bytes_ + bytes > limits_.hoard_bytes;
  return hoards ? Verdict::mark_and_keep : Verdict::keep;
}

Block Ring::put(const Held& held, Block block, bool marked) {
  Block evicted = count_ >= limits_.entries ? take_oldest(held) : Block{};
  Index i = new_entry();
  entries_[i].block = block;
  entries_[i].marked = marked;
  link(by_age_, &Entry::by_age, i);
  link(by_size_[class_of(block.bytes)], &Entry::by_size, i);
  ++count_;
  bytes_ += block.bytes;
  if (!marked) unmarked_bytes_ += block.bytes;
  return evicted;
}

Block Ring::take(const Held&, size_t bytes, size_t alignment) {
  size_t last = class_of(bytes + (bytes - 1));
  for (size_t c = class_of(bytes); c <= last; ++c) {
    Index i = best_in(by_size_[c], bytes, alignment);
    if (i != kNone) return remove(i);
  }
  return {};
}

// Classes ascend in size: the best of the first class that has a fit is the best of all.
Ring::Index Ring::best_in(const List& list, size_t bytes, size_t alignment) const {
  Index best = kNone;
  for (Index i = list.newest; i != kNone; i = entries_[i].by_size.older) {
    const Block& block = entries_[i].block;
    if (block.bytes < bytes || !wastes_less_than_half(block.bytes, bytes)) continue;
    if (block.address & (alignment - 1)) continue;
    if (block.bytes == bytes) return i;
    if (best == kNone || block.bytes < entries_[best].block.bytes) best = i;
  }
  return best;
}

Block Ring::take_oldest(const Held&) {
  return by_age_.oldest == kNone ? Block{} : remove(by_age_.oldest);
}

Block Ring::remove(Index i) {
  Entry& entry = entries_[i];
  unlink(by_age_, &Entry::by_age, i);
  unlink(by_size_[class_of(entry.block.bytes)], &Entry::by_size, i);
  --count_;
  bytes_ -= entry.block.bytes;
  if (!entry.marked) unmarked_bytes_ -= entry.block.bytes;
  entry.by_age.older = free_;
  free_ = i;
  return entry.block;
}

Ring::Index Ring::new_entry() {
  if (free_ == kNone) return unused_++;
  Index i = free_;
  free_ = entries_[i].by_age.older;
  return i;
}

void Ring::link(List& list, Links Entry::*links, Index i) {
  entries_[i].*links = {kNone, list.newest};
  if (list.newest != kNone) (entries_[list.newest].*links).newer = i;
  if (list.oldest == kNone) list.oldest = i;
  list.newest = i;
}

void Ring::unlink(List& list, Links Entry::*links, Index i) {
  auto [newer, older] = entries_[i].*links;
  (newer == kNone ? list.newest : (entries_[newer].*links).older) = older;
  (older == kNone ? list.oldest : (entries_[older].*links).newer) = newer;
}

}  // namespace ftprof::libmalloc
