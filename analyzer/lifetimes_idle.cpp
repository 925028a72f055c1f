// Pages that lie idle in given-back blocks, and how they leave: purged by a call that was seen, or
// found gone. glibc shrinks its heap and trims its arenas by calls inside libc that no hook sees.
#include <algorithm>

#include "analyzer/lifetimes.h"

namespace ftprof {
namespace {

// What is less than this is a block's end that fell between two pages.
constexpr double kPartialPages = 2;

}  // namespace

void Lifetimes::note_idle() {
  auto bytes = static_cast<uint64_t>(std::max(0.0, state_.history.idle_pages()) *
                                     static_cast<double>(state_.page_bytes()));
  state_.tally.idle_peak_bytes = std::max(state_.tally.idle_peak_bytes, bytes);
  TimeBucket& bucket = state_.timeline.at(state_.now);
  bucket.idle_bytes = std::max(bucket.idle_bytes, bytes);
}

void Lifetimes::purge_idle(Past& past, double pages) {
  past.idle_pages -= pages;
  past.purged_pages += pages;
  state_.tally.sites[past.site].reuse.purged_pages += past.weight * pages;
}

// The pages were looked at just before they are handed out again: what is missing was purged. The
// parts are out of the history already.
void Lifetimes::find_late_purge(std::vector<PastPart>& past, double resident) {
  double idle = 0;
  for (const PastPart& part : past) idle += part.past.idle_pages;
  if (idle - resident < kPartialPages) return;
  for (PastPart& part : past)
    purge_idle(part.past, part.past.idle_pages * (idle - resident) / idle);
}

// A snapshot's look at what a block left behind. Where other blocks live there by now, it tells
// something about the rest only when nothing is resident at all.
void Lifetimes::look_at_idle(const trace::Residency& event, const Probe& probe) {
  uint64_t begin = event.addr, end = saturated_end(event.addr, event.size), known = 0;
  double idle = 0;
  state_.history.change(begin, end, [&](uint64_t at, const Past& past) {
    known += past.end - at;
    idle += past.idle_pages;
  });
  double whole = static_cast<double>(whole_pages(state_.page_bytes(), begin, end).count);
  double resident = whole * probe.resident / probe.probed;
  if (idle - resident < kPartialPages || (known < end - begin && probe.resident != 0)) return;
  state_.history.change(begin, end, [&](uint64_t, Past& past) {
    purge_idle(past, past.idle_pages * (idle - resident) / idle);
  });
  note_idle();
}

}  // namespace ftprof
