#include "preload/fault_recorder.h"

#include <errno.h>

#include <new>

#include "preload/memory.h"
#include "preload/snapshot.h"
#include "preload/state.h"
#include "preload/sys.h"

namespace ftprof {
namespace {

// While every fault is wanted the rings must outlast a collector that waits for a CPU; bursts are
// short, and locked memory is shared with the user's other profiled processes.
constexpr size_t kRingBytes = 512 * 1024;
constexpr size_t kBurstRingBytes = 256 * 1024;
// The faults of the shortest burst: about what comes in between two drains.
constexpr double kBurstFaults = 250;
// Recorded in full before the budget counts.
constexpr uint64_t kCreditFaults = 1024;
// Until a calibration has found better ones.
constexpr double kTypicalRecordNs = 1200;
constexpr double kUntimedShare = 0.55;

template <class T>
T* map_array(size_t count) {
  return static_cast<T*>(own_lazy_memory(count * sizeof(T)));
}

}  // namespace

bool FaultRecorder::reserve() {
  unsigned cpus = g_state.cpus;
  if (rings_ == nullptr) rings_ = map_array<PerfRing>(cpus);
  if (lost_ == nullptr) lost_ = map_array<LostCount>(cpus);
  if (unfinished_ == nullptr) unfinished_ = map_array<bool>(cpus);
  static_assert(sizeof(FaultJoin) % 8 == 0);
  if (join_ == nullptr) {
    void* memory = own_lazy_memory(sizeof(FaultJoin) + FaultJoin::bytes_needed(cpus));
    if (memory != nullptr)
      join_ = new (memory) FaultJoin(files_, static_cast<FaultJoin*>(memory) + 1, cpus,
                                     static_cast<int>(g_state.page_shift));
  }
  names_.begin();
  return rings_ != nullptr && lost_ != nullptr && unfinished_ != nullptr && join_ != nullptr;
}

long FaultRecorder::start(const FaultPlan& plan, int dir, int collector_tid) {
  plan_ = plan;
  collector_tid_ = collector_tid;
  long error = !reserve() || !files_.begin(dir, g_state.cpus, plan.period == 1) ? -ENOMEM : 0;
  if (error == 0)
    error = events_.open_rings(rings_, g_state.cpus, plan.adaptive ? kBurstRingBytes : kRingBytes);
  if (error != 0) {
    calibrate_bare(&calibration_);
    return error;
  }
  calibrate(&events_, rings_, plan.period, collector_tid, !plan.adaptive, &calibration_);
  events_.begin_count(plan.period == 1);
  for (unsigned cpu = 0; cpu < g_state.cpus; ++cpu) lost_[cpu] = LostCount();
  lost_any_ = false;
  uint64_t credit = static_cast<uint64_t>(record_ns() * kCreditFaults);
  budget_ = FaultBudget(budget_of_each(), credit, sys::monotonic_ns());
  timed_ = plan.timed != Timed::none;
  program_ns_ = own_ns_ = 0;
  error = open_window();
  if (error != 0) events_.close_rings();
  recording_ = error == 0;
  return error;
}

double FaultRecorder::record_ns() const {
  double both = calibration_.recorded && calibration_.record_ns > 0 ? calibration_.record_ns
                                                                    : kTypicalRecordNs;
  return timed_ ? both : both * kUntimedShare;
}

double FaultRecorder::burst_ns() const {
  return static_cast<double>(switch_ns_) + kBurstFaults * record_ns();
}

long FaultRecorder::open_timed() {
  long error = events_.switch_on(PerfEvents::kHandled, plan_.period, collector_tid_);
  timed_ = error == 0;
  return error;
}

// Handled before entries, and closed after them: no entry waits for a sample that cannot come.
long FaultRecorder::open_window() {
  uint64_t begin = sys::cpu_ns(CLOCK_THREAD_CPUTIME_ID);
  if (timed_) {
    long error = open_timed();
    if (error != 0) return error;
  }
  announce();
  long error = events_.switch_on(PerfEvents::kEntries, plan_.period, collector_tid_);
  if (error != 0) events_.close(PerfEvents::kHandled);
  if (recording_) switch_ns_ = 2 * (sys::cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin);
  return error;
}

// Every fault that is handled has its sample.
bool FaultRecorder::complete() const {
  return timed_ && plan_.period == 1 && !events_.incomplete(PerfEvents::kHandled);
}

// Runs end here: a run that went on would carry times from before the announcement.
void FaultRecorder::announce() {
  for (unsigned cpu = 0; cpu < g_state.cpus; ++cpu) join_->flush(cpu);
  join_->set_complete(complete(), sys::monotonic_ns());
  uint32_t timed_period = timed_ ? plan_.period : 0;
  if (window_open())
    files_.set_timed(timed_period);
  else
    files_.set_window(plan_.period, timed_period, sys::monotonic_ns());
}

void FaultRecorder::close_window() {
  drain();
  events_.switch_off(PerfEvents::kEntries);
  drain();  // switching takes milliseconds where threads are many, and the rings fill meanwhile
  events_.switch_off(PerfEvents::kHandled);
  drain();
  report_dropped();
  end_faults_in_kernel();
  files_.set_window(0, 0, sys::monotonic_ns());
}

void FaultRecorder::end_faults_in_kernel() {
  for (unsigned cpu = 0; cpu < g_state.cpus; ++cpu) join_->close(cpu);
}

// A record that was dropped is told by the next one that is not: at the end there is none.
void FaultRecorder::report_dropped() {
  for (unsigned cpu = 0; cpu < events_.cpus(); ++cpu) {
    uint64_t in_all = events_.dropped(cpu, lost_[cpu].all_that_came());
    if (uint64_t more = lost_[cpu].kernel_says(in_all)) tell_lost(cpu, more);
  }
}

// What was dropped may have been the handled samples of faults that we know: until the next clean
// drain an entry without one has not failed, it is untimed.
void FaultRecorder::tell_lost(unsigned cpu, uint64_t records) {
  lossy_ = lost_any_ = true;
  join_->set_complete(false);
  join_->flush(cpu);
  if (records > 0) files_.lost(cpu, records);
}

bool FaultRecorder::drain() {
  if (rings_ == nullptr) return false;
  bool any = false;
  lossy_ = false;
  for (reading_ = 0; reading_ < g_state.cpus; ++reading_) {
    if (!rings_[reading_].attached()) continue;
    bool came = rings_[reading_].drain(*this) > 0;
    if (!came && unfinished_[reading_]) join_->flush(reading_);
    unfinished_[reading_] = came;
    any |= came;
  }
  join_->end_of_pass(!timed_);
  if (!lossy_ && window_open()) join_->set_complete(complete(), sys::monotonic_ns());
  if (any) resynchronise();
  return any;
}

void FaultRecorder::on_entry(uint32_t tid, uint64_t ip, uint64_t addr, uint64_t time) {
  lost_[reading_].came();
  if (static_cast<int>(tid) == collector_tid_) return;
  names_.saw(tid);
  join_->entry(reading_, {tid, ip, addr, time});
}

void FaultRecorder::on_handled(uint32_t tid, uint64_t addr, uint64_t time, bool major) {
  lost_[reading_].came();
  if (static_cast<int>(tid) != collector_tid_) join_->handled(reading_, tid, addr, time, major);
}

void FaultRecorder::on_lost(uint64_t records) {
  tell_lost(reading_, lost_[reading_].record_says(records));
}

// With a period, entries and handled samples meet only while both events count alike, and a failed
// or a major fault puts a thread out of step. Opened anew, they start together.
void FaultRecorder::resynchronise() {
  constexpr uint64_t kEnough = 64, kDistanceNs = 200000000;
  uint64_t faults = join_->faults() - checked_faults_, timed = join_->timed() - checked_timed_;
  if (plan_.period == 1 || !timed_ || faults < kEnough) return;
  uint64_t now = sys::monotonic_ns();
  bool astray = timed * 10 < faults * 6 && now - checked_ns_ > kDistanceNs;
  checked_faults_ = join_->faults(), checked_timed_ = join_->timed();
  if (!astray || !window_open()) return;
  checked_ns_ = now;
  events_.close(PerfEvents::kEntries);
  events_.close(PerfEvents::kHandled);
  end_faults_in_kernel();
  if (open_timed() == 0) events_.switch_on(PerfEvents::kEntries, plan_.period, collector_tid_);
}

void FaultRecorder::pay(uint64_t program_ns, uint64_t own_ns) {
  if (program_ns_ == 0) program_ns_ = program_ns, own_ns_ = own_ns;
  budget_.earn(program_ns > program_ns_ ? program_ns - program_ns_ : 0);
  double slowed = static_cast<double>(join_->faults() - paid_faults_) * record_ns();
  budget_.spend(slowed + static_cast<double>(own_ns - own_ns_));
  slowed_ns_ += static_cast<uint64_t>(slowed);
  program_ns_ = program_ns, own_ns_ = own_ns, paid_faults_ = join_->faults();
}

// Within trace.max_size: past half of it faults are thinned out whatever was asked for, past three
// quarters none is recorded any more, and the rest is the blocks'. Counts go on by residency.
void FaultRecorder::save_space() {
  uint64_t most = g_state.settings.trace_max_size;
  uint64_t used = g_state.trace_bytes.load(std::memory_order_relaxed);
  if (most == 0 || used < most / 2 || full_) return;
  plan_.adaptive = true;
  if (used < most / 4 * 3) return;
  full_ = true;
  write_attribute("note", "trace.max_size is near: page faults are no longer recorded one by one.");
}

bool FaultRecorder::adapt(uint64_t program_ns, uint64_t own_ns) {
  if (!recording_) return false;
  pay(program_ns, own_ns);
  save_space();
  if (plan_.timed == Timed::adaptive) adapt_timed();
  if (!plan_.adaptive) return false;
  if (window_open() && (budget_.exhausted() || full_)) {
    close_window();
    return true;
  }
  if (window_open() || full_ || !budget_.affords(burst_ns())) return false;
  budget_.begin_burst();
  return open_window() == 0;
}

// Every fault is recorded throughout; which of them are timed the budget decides.
void FaultRecorder::adapt_timed() {
  if (timed_ && budget_.exhausted()) {
    close_timed();
  } else if (!timed_ && budget_.affords(burst_ns())) {
    budget_.begin_burst();
    if (open_timed() == 0) announce();
  }
}

void FaultRecorder::close_timed() {
  timed_ = false;
  join_->set_complete(false);
  events_.switch_off(PerfEvents::kHandled);
  drain();
  announce();
}

void FaultRecorder::settle() {
  if (!recording_) return;
  drain();
  report_dropped();
  // Untimed, each thread's last fault waits for a handled sample that will not come.
  if (!timed_) return end_faults_in_kernel();
  for (unsigned cpu = 0; cpu < g_state.cpus; ++cpu) join_->flush(cpu);
}

// Where handled samples were lost, a fault without one may have been handled. Otherwise it has
// failed, or is in the kernel at this moment: no page of it was counted yet.
void FaultRecorder::finish() {
  settle();
  if (!recording_ || !timed_) return;
  for (unsigned cpu = 0; cpu < g_state.cpus; ++cpu)
    lost_any_ ? join_->close(cpu) : join_->leave_open(cpu);
}

void FaultRecorder::stop() {
  if (!recording_) return;
  if (window_open()) close_window();
  events_.close(PerfEvents::kEntries);
  events_.close(PerfEvents::kHandled);
  events_.close_rings();
  files_.close();
  recording_ = false;
}

}  // namespace ftprof
