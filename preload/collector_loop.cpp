#include "preload/collector_loop.h"

#include <errno.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>

#include "preload/credentials.h"
#include "preload/memory.h"
#include "preload/perf_refusal.h"
#include "preload/residency.h"
#include "preload/sampling.h"
#include "preload/slots.h"
#include "preload/state.h"
#include "preload/sys.h"
#include "preload/tasks.h"
#include "preload/text.h"

namespace ftprof {
namespace {

constexpr uint64_t kMs = 1000000;
constexpr uint64_t kBusyNs = 20 * kMs;  // the shortest sleep when nothing comes in
// Between drains of rings that fill. Not woken by the kernel: that costs the program's thread an
// interrupt to another CPU, 50 us on some virtual machines, and counts as the fault's time.
constexpr uint64_t kPollNs = kMs;
constexpr uint64_t kGapNs = 5 * kMs;  // a wake-up costs, and what it waits for is an estimate
constexpr uint64_t kTickNs = 100 * kMs;
constexpr uint64_t kSleepiestNs = 2000 * kMs;
constexpr uint64_t kSnapshotShare = 20;
constexpr uint64_t kShortLifeNs = 2 * kMs;
constexpr uint64_t kEndingNs = 500 * kMs;  // no packets are made ahead so long after a finish

uint64_t own_faults() {
  rusage usage{};
  sys::getrusage(RUSAGE_THREAD, &usage);
  return static_cast<uint64_t>(usage.ru_minflt);
}

uint64_t process_faults() {
  rusage usage{};
  sys::getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_minflt);
}

// Without close_range (Linux before 5.9) each number is closed by itself.
void leave_descriptors() {
  constexpr unsigned kUnshare = 1 << 1;
  if (!sys::failed(sys::close_range(0, ~0U, kUnshare))) return;
  sys::call(SYS_unshare, 0x400 /* CLONE_FILES */);
  rlimit limit{};
  sys::get_limit(RLIMIT_NOFILE, &limit);
  for (uint64_t fd = 0; fd < limit.rlim_cur && fd < 65536; ++fd) sys::close(static_cast<int>(fd));
}

int open_wake_signal() {
  uint64_t mask = 1ULL << (kWakeSignal - 1);
  return static_cast<int>(
      sys::call(SYS_signalfd4, -1, sys::as_long(&mask), sizeof mask, SFD_CLOEXEC | SFD_NONBLOCK));
}

void attribute_number(const char* key, uint64_t value) {
  Text<24> text;
  text.add_number(value);
  write_attribute(key, text.c_str());
}

}  // namespace

void CollectorLoop::run() {
  if (!prepare()) {
    requests_->ready.store(1, std::memory_order_release);
    sys::futex_wake(&requests_->ready, 1 << 30);
    return;
  }
  begin();
  while (requests_->stop.load(std::memory_order_acquire) == 0 && !program_is_gone()) round();
  finish();
  recorder_.stop();
  sys::close(dir_);
  if (wake_fd_ >= 0) sys::close(wake_fd_);
  account();
}

bool CollectorLoop::prepare() {
  sys::call(SYS_prctl, PR_SET_NAME, sys::as_long("ftprof"));
  leave_descriptors();
  tid_ = sys::gettid();
  dir_ = sys::open_at(AT_FDCWD, g_state.image_dir, O_DIRECTORY | O_NOFOLLOW | O_PATH);
  wake_fd_ = open_wake_signal();
  if (polled_ == nullptr)
    polled_ = static_cast<pollfd*>(own_lazy_memory((g_state.cpus + 1) * sizeof *polled_));
  polled_count_ = 0;
  own_ns_ = own_faults_ = slot_faults_ = 0;
  return dir_ >= 0 && polled_ != nullptr;
}

// Opening the events takes some 10 ms, and a process that is over before that is spared them.
bool CollectorLoop::ends_at_once() {
  uint32_t asked = requests_->finish.load();
  if (asked == requests_->finished.load()) sys::futex_wait(&requests_->finish, asked, kShortLifeNs);
  return requests_->finish.load() != requests_->finished.load();
}

void CollectorLoop::begin() {
  refill();
  FaultPlan plan = make_fault_plan(g_state.settings);
  bool short_life = plan.perf && plan.adaptive && !plan.insist && ends_at_once();
  if (short_life) {
    plan.perf = false;
    write_attribute("note",
                    "The process was over before page faults could be observed one by one.");
  }
  long error = plan.perf ? recorder_.start(plan, dir_, tid_) : -EOPNOTSUPP;
  if (!plan.perf) recorder_.only_calibrate(short_life);
  account();
  snapshots_.begin();
  requests_->refusal.store(plan.perf ? static_cast<int>(error) : 0);
  requests_->ready.store(1, std::memory_order_release);
  sys::futex_wake(&requests_->ready, 1 << 30);

  attribute_number("profiler.tid", static_cast<uint64_t>(tid_));
  write_attribute("faults.source", error == 0 ? "perf" : "pagemap");
  if (recorder_.reads_known()) write_attribute("faults.reads", "known");
  if (plan.perf && error != 0) tell_refusal(error);
  if (recorder_.events().incomplete(PerfEvents::kEntries))
    write_attribute("note", "Some threads could not be observed: too few descriptors (ulimit -n).");
  write_prices(recorder_.calibration());

  polled_[polled_count_++] = {wake_fd_, POLLIN, 0};
  for (unsigned cpu = 0; error == 0 && cpu < recorder_.events().cpus(); ++cpu)
    if (recorder_.events().ring_descriptors()[cpu] >= 0)
      polled_[polled_count_++] = {recorder_.events().ring_descriptors()[cpu], POLLIN, 0};
  wait_ns_ = kPollNs;
  ticked_ = sys::monotonic_ns();
  snapshot_due_ = ticked_ + g_state.settings.snapshot_interval;
}

void CollectorLoop::tell_refusal(long error) {
  PerfRefusal refusal(static_cast<int>(error));
  write_attribute("note", refusal.sentence());
}

void CollectorLoop::round() {
  wait();
  refill();
  bool blocks = slots_seen_ != g_slots_wanted.load(std::memory_order_relaxed);
  slots_seen_ = g_slots_wanted.load(std::memory_order_relaxed);
  bool any = recorder_.drain() || blocks;
  uint64_t before = program_ns();
  account();
  // At a window's ends the reader learns how many faults it held, and how many it missed.
  bool turned = recorder_.adapt(program_ns(), own_ns_);
  if (turned) {
    write_usage(false, true);
    look_due_ = 0;
  }
  // A program that runs may begin to fault, or to allocate, at any moment; one that sleeps cannot.
  bool runs = program_ns() - before > wait_ns_ / 100;
  bool busy = any || turned;
  wait_ns_ = !busy ? wait_ns_ * 2 : recorder_.window_open() ? kPollNs : kBusyNs;
  uint64_t most = runs ? kTickNs : kSleepiestNs;
  if (wait_ns_ > most) wait_ns_ = most;

  uint64_t now = sys::monotonic_ns();
  if (now - ticked_ >= kTickNs) {
    ticked_ = now;
    sampling_tick(now);
  }
  look_if_due();
  snapshot_if_due(now);
  serve();
}

// While faults are not recorded, looking at the largest blocks now and then shows what comes of
// them. It may take its part of what recording may cost.
void CollectorLoop::look_if_due() {
  constexpr uint64_t kEnoughFaults = 256;
  constexpr double kShareOfRecording = 0.5;
  if (!in_gap() || program_ns() < look_due_) return;
  uint64_t faults = process_faults(), before = own_ns_;
  if (faults - looked_faults_ < kEnoughFaults) return;
  looked_faults_ = faults;
  snapshots_.look();
  account();
  double share = recorder_.share() * kShareOfRecording;
  if (share > 0) look_due_ = program_ns() + static_cast<uint64_t>((own_ns_ - before) / share);
}

// The slots count what their packets cost by themselves. After a finish the process most likely
// ends: its end must not fall between the two steps that begin a packet in a file.
void CollectorLoop::refill() {
  if (sys::monotonic_ns() < refill_from_) return;
  uint64_t before = own_faults();
  refill_slots(dir_);
  slot_faults_ += own_faults() - before;
}

void CollectorLoop::wait() {
  uint64_t ns = wait_ns_;
  uint64_t burst = recorder_.recording() ? recorder_.wait_ns() : 0;
  if (burst != 0 && burst < ns) ns = burst;
  uint64_t look = look_due_ > program_ns() ? look_due_ - program_ns() : kBusyNs;
  if (in_gap() && look < ns && wait_ns_ <= kTickNs) ns = look;
  if (in_gap() && ns < kGapNs) ns = kGapNs;
  // Where the program may not make system calls it cannot wake us.
  bool deaf = wake_fd_ < 0 || foreign_signal_ || g_state.sealed.load(std::memory_order_relaxed);
  if (deaf && ns > kBusyNs) ns = kBusyNs;
  if (recorder_.recording())
    wait_for_rings(ns);
  else
    wait_for_slots(ns);
}

// A readable signal without a request is one that the program has pending for itself: it must stay.
void CollectorLoop::wait_for_rings(uint64_t ns) {
  timespec time{static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
  polled_[0].fd = foreign_signal_ ? -1 : wake_fd_;
  polled_[0].revents = 0;
  sys::call(SYS_ppoll, sys::as_long(polled_), polled_count_, sys::as_long(&time), 0, 8);
  if ((polled_[0].revents & POLLIN) == 0) return;
  bool asked =
      requests_->stop.load() != 0 || requests_->finish.load() != requests_->finished.load();
  signalfd_siginfo signal;
  if (asked)
    sys::read(wake_fd_, &signal, sizeof signal);
  else
    foreign_signal_ = true;
}

void CollectorLoop::wait_for_slots(uint64_t ns) {
  sys::futex_wait(&g_slots_wanted, slots_seen_, ns);
}

void CollectorLoop::account() {
  uint64_t own = sys::cpu_ns(CLOCK_THREAD_CPUTIME_ID), slowed = recorder_.slowed_ns();
  add_self_ns(own - own_ns_ + slowed - slowed_ns_);
  own_ns_ = own, slowed_ns_ = slowed;
  process_ns_ = sys::cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
  uint64_t faults = own_faults() - slot_faults_;
  add_self_faults(faults - own_faults_);
  own_faults_ = faults;
}

void CollectorLoop::snapshot_if_due(uint64_t now) {
  uint64_t interval = g_state.settings.snapshot_interval;
  if (interval == 0 || now < snapshot_due_) return;
  snapshot_due_ = now + interval;
  follow_credentials(g_state.pid);
  recorder_.forget_code();
  if (snapshots_.idle_since_last(program_ns())) return;
  snapshots_.take(false);
  price_huge();
  // Looking holds the map's lock against the program's mmap: for a twentieth of the time at most.
  uint64_t end = sys::monotonic_ns(), rest = kSnapshotShare * (end - now);
  if (snapshot_due_ < end + rest) snapshot_due_ = end + rest;
  account();
  snapshots_.remember(program_ns());
}

// Once the program is seen to have any.
void CollectorLoop::price_huge() {
  if (huge_priced_ || !residency_saw_huge()) return;
  huge_priced_ = true;
  write_price(trace::PriceKind::huge, calibrate_huge(), recorder_.calibration().raw_excess_ns);
}

void CollectorLoop::serve() {
  uint32_t asked = requests_->finish.load(std::memory_order_acquire);
  if (asked == requests_->finished.load(std::memory_order_relaxed)) return;
  finish();
  requests_->finished.store(asked, std::memory_order_release);
  sys::futex_wake(&requests_->finished, 1 << 30);
}

void CollectorLoop::finish() {
  recorder_.settle();
  account();
  snapshots_.look_at_pages(true);
  // Other threads may have gone on: the records reach as far as the pages and the last count do.
  recorder_.finish();
  account();
  write_usage(true);
  price_huge();
  refill_from_ = sys::monotonic_ns() + kEndingNs;
}

// A program whose threads have all left by pthread_exit would live on for the collector alone.
bool CollectorLoop::program_is_gone() {
  if (wait_ns_ < kSleepiestNs) return false;
  int tids[4];
  if (list_threads(tids, 4) > 2) return false;
  Text<64> path;
  path.add("/proc/self/task/").add_number(static_cast<uint64_t>(g_state.pid)).add("/stat");
  char stat[512];
  long bytes = read_small_file(path.c_str(), stat, sizeof stat);
  for (long i = bytes - 1; i > 1; --i)
    if (stat[i - 2] == ')') return stat[i] == 'Z';
  return false;
}

}  // namespace ftprof
