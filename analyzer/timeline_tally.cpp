#include "analyzer/timeline_tally.h"

#include <algorithm>

namespace ftprof {
namespace {

void merge(TimeBucket& into, const TimeBucket& later) {
  into.faults += later.faults;
  if (later.resident_bytes) into.resident_bytes = later.resident_bytes;
  into.idle_bytes = std::max(into.idle_bytes, later.idle_bytes);
  into.handouts.fresh += later.handouts.fresh;
  into.handouts.warm += later.handouts.warm;
  into.handouts.partial += later.handouts.partial;
  into.handouts.cold += later.handouts.cold;
}

}  // namespace

void TimelineTally::coarsen() {
  auto& buckets = tally_.timeline;
  for (size_t i = 0; i < buckets.size(); i += 2) {
    TimeBucket both = buckets[i];
    if (i + 1 < buckets.size()) merge(both, buckets[i + 1]);
    buckets[i / 2] = both;
  }
  buckets.resize((buckets.size() + 1) / 2);
  tally_.interval_ns *= 2;
}

TimeBucket& TimelineTally::at(uint64_t timestamp) {
  uint64_t start = tally_.process.start_monotonic_ns;
  uint64_t since = timestamp > start ? timestamp - start : 0;
  while (since / tally_.interval_ns >= kMost) coarsen();
  size_t bucket = since / tally_.interval_ns;
  if (bucket >= tally_.timeline.size()) tally_.timeline.resize(bucket + 1);
  return tally_.timeline[bucket];
}

void TimelineTally::add_faults(uint64_t begin, uint64_t end, const FaultSum& sum) {
  TimeBucket& last = at(end);  // first, for it may coarsen
  TimeBucket& first = at(begin);
  if (&first == &last) {
    first.faults += sum;
    return;
  }
  // What is rounded away in the middle goes to the first interval.
  FaultSum rest = sum;
  double share = static_cast<double>(tally_.interval_ns) / static_cast<double>(end - begin);
  for (TimeBucket* bucket = &first + 1; bucket <= &last; ++bucket) {
    FaultSum part = sum.scaled(std::min(1.0, share));
    if (part.full > rest.full || part.burst > rest.burst || part.timed > rest.timed) break;
    bucket->faults += part;
    rest.full -= part.full;
    rest.burst -= part.burst;
    rest.timed -= part.timed;
    rest.cost_ns -= part.cost_ns;
    rest.square -= part.square;
  }
  first.faults += rest;
}

}  // namespace ftprof
