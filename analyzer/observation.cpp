#include "analyzer/observation.h"

namespace ftprof {

void Observation::window(uint32_t number, uint64_t timestamp, const trace::Window& window) {
  if (number >= streams_.size()) streams_.resize(number + 1);
  if (first_window_ns_ == 0 || timestamp < first_window_ns_) first_window_ns_ = timestamp;
  Stream& stream = streams_[number];
  bool was_partial = stream.period != 1, partial = window.period != 1;
  partial_streams_ += partial - was_partial;
  if (partial || was_partial) last_gap_ns_ = std::max(last_gap_ns_, timestamp);
  tally_.sampled |= partial;
  tally_.greatest_period = std::max<uint32_t>(tally_.greatest_period, +window.period);
  tally_.bursts |= window.period == 0;
  stream.period = window.period;
}

void Observation::lost(uint64_t timestamp, uint64_t records) {
  tally_.lost_faults += records;
  tally_.sampled = true;
  last_gap_ns_ = std::max(last_gap_ns_, timestamp);
}

}  // namespace ftprof
