#include "analyzer/observation.h"

namespace ftprof {

// Once bursts have begun on a CPU, what a burst shows stands for the time around it too.
void Observation::account(Stream& stream, uint64_t timestamp) {
  if (!stream.bursts || timestamp < stream.since_ns) return;
  auto span = static_cast<double>(timestamp - stream.since_ns);
  tally_.burst_span_ns += span;
  if (stream.period != 0) tally_.burst_on_ns += span;
}

void Observation::window(uint32_t number, uint64_t timestamp, const trace::Window& window) {
  if (number >= streams_.size()) streams_.resize(number + 1);
  if (first_window_ns_ == 0 || timestamp < first_window_ns_) first_window_ns_ = timestamp;
  Stream& stream = streams_[number];
  account(stream, timestamp);
  bool was_partial = stream.period != 1, partial = window.period != 1;
  partial_streams_ += partial - was_partial;
  if (partial || was_partial) last_gap_ns_ = std::max(last_gap_ns_, timestamp);
  tally_.sampled |= partial;
  tally_.greatest_period = std::max<uint32_t>(tally_.greatest_period, +window.period);
  stream.bursts |= window.period == 0;
  tally_.bursts |= window.period == 0;
  stream.period = window.period;
  stream.since_ns = timestamp;
}

void Observation::lost(uint64_t timestamp, uint64_t records) {
  tally_.lost_faults += records;
  tally_.sampled = true;
  last_gap_ns_ = std::max(last_gap_ns_, timestamp);
}

void Observation::finish(uint64_t timestamp) {
  for (Stream& stream : streams_) account(stream, timestamp);
}

}  // namespace ftprof
