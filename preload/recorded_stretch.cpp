#include "preload/recorded_stretch.h"

#include "preload/calibration.h"

namespace ftprof {

bool RecordedStretch::begin() {
  return events_->open_on(PerfEvents::kHandled, static_cast<int>(tid_), period_) == 0 &&
         events_->open_on(PerfEvents::kEntries, static_cast<int>(tid_), period_) == 0;
}

void RecordedStretch::end() {
  events_->close(PerfEvents::kEntries);
  events_->close(PerfEvents::kHandled);
  for (unsigned cpu = 0; cpu < events_->cpus(); ++cpu)
    if (rings_[cpu].attached()) rings_[cpu].drain(*this);
}

void RecordedStretch::on_entry(uint32_t tid, uint64_t, uint64_t addr, uint64_t time) {
  if (tid == tid_) addr_ = addr, time_ = time;
}

void RecordedStretch::on_handled(uint32_t tid, uint64_t addr, uint64_t time, bool) {
  if (tid == tid_ && addr == addr_ && addr >= from_ && count_ < kMost)
    raw_[count_++] = static_cast<double>(time - time_);
}

double RecordedStretch::mean_of_usual() {
  return ftprof::mean_of_usual(raw_, count_);
}

}  // namespace ftprof
