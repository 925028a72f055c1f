#include "analyzer/timeline_tally.h"

#include <algorithm>
#include <utility>

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
  double all = static_cast<double>(end - begin), given = 0;
  uint64_t border = tally_.process.start_monotonic_ns +
                    static_cast<uint64_t>(&first - tally_.timeline.data()) * tally_.interval_ns;
  for (TimeBucket* bucket = &first; bucket < &last; ++bucket) {
    border += tally_.interval_ns;
    double upto = static_cast<double>(border - begin) / all;
    bucket->faults += sum.share(upto - std::exchange(given, upto));
  }
  last.faults += sum.share(1 - given);
}

}  // namespace ftprof
