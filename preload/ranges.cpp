#include "preload/ranges.h"

#include <string.h>

namespace ftprof {
namespace {

constexpr int kTries = 2000;
constexpr size_t kFirstCapacity = 512;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  asm volatile("yield");
#endif
}

}  // namespace

RangeSet::Lock::Lock(std::atomic<bool>* flag) : flag_(flag), held_(false) {
  for (int i = 0; i < kTries && !held_; ++i) {
    held_ = !flag->exchange(true, std::memory_order_acquire);
    if (!held_) pause();
  }
}

RangeSet::Lock::~Lock() {
  if (held_) flag_->store(false, std::memory_order_release);
}

size_t RangeSet::first_after(uintptr_t address) const {
  size_t low = 0, high = count_;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (ranges_[middle].end <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// The old array stays mapped: a signal handler that was let down by the lock never reads it, but a
// page or two is a fair price for not having to prove that.
bool RangeSet::grow() {
  size_t capacity = capacity_ == 0 ? kFirstCapacity : capacity_ * 2;
  auto* bigger = static_cast<TrackedRange*>(get_memory_(capacity * sizeof(TrackedRange)));
  if (bigger == nullptr) return false;
  if (count_ > 0) memcpy(static_cast<void*>(bigger), ranges_, count_ * sizeof(TrackedRange));
  ranges_ = bigger;
  capacity_ = capacity;
  return true;
}

bool RangeSet::insert(size_t at, const TrackedRange& range) {
  if (count_ == capacity_ && !grow()) return false;
  memmove(static_cast<void*>(ranges_ + at + 1), ranges_ + at, (count_ - at) * sizeof(TrackedRange));
  ranges_[at] = range;
  ++count_;
  return true;
}

void RangeSet::erase(size_t at, size_t count) {
  memmove(static_cast<void*>(ranges_ + at), ranges_ + at + count,
          (count_ - at - count) * sizeof(TrackedRange));
  count_ -= count;
}

bool RangeSet::add(const TrackedRange& range) {
  Lock lock(&locked_);
  return lock.held() && insert(first_after(range.begin), range);
}

Overlap RangeSet::look(uintptr_t begin, uintptr_t end, TrackedRange* whole) const {
  Lock lock(&locked_);
  if (!lock.held()) return Overlap::unknown;
  size_t at = first_after(begin);
  if (at == count_ || ranges_[at].begin >= end) return Overlap::none;
  if (ranges_[at].begin != begin || ranges_[at].end != end) return Overlap::part;
  *whole = ranges_[at];
  return Overlap::exact;
}

size_t RangeSet::cut(uintptr_t begin, uintptr_t end, TrackedRange* cut, size_t most) {
  Lock lock(&locked_);
  if (!lock.held()) return 0;
  size_t first = first_after(begin), last = first, taken = 0;
  for (; last < count_ && ranges_[last].begin < end; ++last) {
    TrackedRange piece = ranges_[last];
    if (piece.begin < begin) piece.begin = begin;
    if (piece.end > end) piece.end = end;
    if (taken < most) cut[taken++] = piece;
  }
  if (first == last) return 0;
  TrackedRange head = ranges_[first], tail = ranges_[last - 1];
  erase(first, last - first);
  head.end = begin;
  tail.begin = end;
  // Erasing made room for one at least; without memory for the other its end is not tracked.
  if (tail.begin < tail.end) insert(first, tail);
  if (head.begin < head.end) insert(first, head);
  return taken;
}

size_t RangeSet::copy(size_t from, TrackedRange* to, size_t most) const {
  Lock lock(&locked_);
  if (!lock.held() || from >= count_) return 0;
  size_t count = count_ - from < most ? count_ - from : most;
  memcpy(static_cast<void*>(to), ranges_ + from, count * sizeof(TrackedRange));
  return count;
}

}  // namespace ftprof
