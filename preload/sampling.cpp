#include "preload/sampling.h"

#include "preload/state.h"
#include "preload/sys.h"

namespace ftprof {

constinit std::atomic<uint32_t> g_sampling_epoch{0};

namespace {

constexpr uint64_t kWindow = 4000000, kWindowSelf = 2000000;  // ns; a window ends at either
constexpr double kMostShare = 0.5;                            // of a window, credit or not
// The bucket is never filled again as it was at first: a program that calms down and then allocates
// in earnest would be slowed a second time.
constexpr double kRefilled = 0.4;
constexpr double kWithGiveBack = 3;  // of a hand-out's cost
// A loop of nothing but malloc and free is told much sooner: no credit is worth a program that
// stands still.
constexpr uint64_t kLoopSelf = 100000;  // ns
constexpr uint64_t kLoopRecords = 16;   // a few costly looks at big blocks are no loop
constexpr double kLoopShare = 0.9;
// What a record can cost at most, for itself and for each page looked up before, inside and after
// the call; whatever the clock says beyond that, the thread was not running.
constexpr uint64_t kMostRecord = 30000, kMostPerPage = 200;  // ns

constinit SamplingControl g_control;
constinit std::atomic<bool> g_control_locked{false};
constinit std::atomic<double> g_mean{0};
constinit std::atomic<bool> g_easy{true};
constinit std::atomic<uint64_t> g_last_record{0};

// A feed that meets another one is dropped from the windows, not waited for.
class ControlLock {
 public:
  ControlLock() : held_(!g_control_locked.exchange(true, std::memory_order_acquire)) {}
  ~ControlLock() {
    if (held_) g_control_locked.store(false, std::memory_order_release);
  }
  bool held() const { return held_; }

 private:
  bool held_;
};

void publish(bool changed) {
  g_easy.store(g_control.easy(), std::memory_order_relaxed);
  if (!changed) return;
  g_mean.store(g_control.mean(), std::memory_order_relaxed);
  g_sampling_epoch.fetch_add(1, std::memory_order_release);
}

double times_charged(Charge charge) {
  return charge == Charge::hand_out ? kWithGiveBack : charge == Charge::give_back ? 0 : 1;
}

// xorshift64*, seeded by what differs between threads.
double uniform(ThreadState* thread) {
  if (thread->random == 0)
    thread->random =
        reinterpret_cast<uintptr_t>(thread) * 0x9E3779B97F4A7C15u ^ sys::monotonic_ns();
  uint64_t x = thread->random;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  thread->random = x;
  return (static_cast<double>((x * 0x2545F4914F6CDD1Du) >> 11) + 1) * 0x1p-53;
}

void draw(ThreadState* thread, double mean, uint32_t epoch) {
  double bytes = mean * minus_log(uniform(thread));
  thread->countdown = bytes < 0x1p62 ? static_cast<int64_t>(bytes) : int64_t{1} << 62;
  thread->sampling_epoch = epoch;
}

}  // namespace

void SamplingControl::Window::add(uint64_t self_ns, uint64_t block_bytes, double weight) {
  self += self_ns;
  bytes += static_cast<double>(block_bytes) * weight;
  blocks += weight;
  ++records;
}

double SamplingControl::Window::share(uint64_t now) const {
  return now > begin ? static_cast<double>(self) / static_cast<double>(now - begin) : 1;
}

void SamplingControl::configure(double budget, uint64_t credit_ns, uint64_t now) {
  *this = SamplingControl();
  budget_ = budget;
  tokens_ = static_cast<double>(credit_ns);
  most_ = tokens_ * kRefilled;
  refilled_ = now;
  restart(now);
}

void SamplingControl::restart(uint64_t now) {
  long_ = short_ = Window();
  long_.begin = short_.begin = now;
}

void SamplingControl::refill(uint64_t now) {
  if (now <= refilled_) return;
  double before = tokens_;
  tokens_ += static_cast<double>(now - refilled_) * budget_;
  if (tokens_ > most_) tokens_ = before > most_ ? before : most_;
  refilled_ = now;
}

// A short window that the profiler fills nearly alone, or, while sampling, far beyond the budget.
bool SamplingControl::is_loop(uint64_t now) {
  if (short_.self < kLoopSelf || short_.records < kLoopRecords) return false;
  double most = mean_ == 0 ? kLoopShare : 4 * budget_ < kLoopShare ? 4 * budget_ : kLoopShare;
  if (short_.share(now) > most) return true;
  short_ = Window();
  short_.begin = now;
  return false;
}

bool SamplingControl::feed(uint64_t now, uint64_t self_ns, uint64_t bytes, double weight,
                           Charge charge) {
  refill(now);
  tokens_ -= static_cast<double>(self_ns) * times_charged(charge);
  long_.add(self_ns, bytes, weight);
  short_.add(self_ns, bytes, weight);
  if (is_loop(now)) return decide(short_, now);
  uint64_t elapsed = now > long_.begin ? now - long_.begin : 0;
  // A sampled window needs some records to be worth believing.
  bool enough = mean_ == 0 || long_.records >= 32 || elapsed > 25 * kWindow;
  return enough && (long_.self >= kWindowSelf || elapsed >= kWindow) && decide(long_, now);
}

// What recording every block would have cost in this window tells whether sampling is needed, and
// how coarse: records per time = bytes per time / M.
bool SamplingControl::decide(const Window& window, uint64_t now) {
  double elapsed = static_cast<double>(now > window.begin ? now - window.begin : 0);
  double self = static_cast<double>(window.self);
  double program = elapsed > self * 1.001 ? elapsed - self : self * 0.001;
  double each = self / static_cast<double>(window.records);
  double full_share = window.blocks * each / (program + window.blocks * each);
  double before = mean_;
  if (budget_ > 0 && (full_share <= budget_ || (tokens_ > 0 && full_share <= kMostShare)))
    mean_ = 0;
  else
    mean_ = window.bytes / program * each / (budget_ > 0.0001 ? budget_ : 0.0001);
  if (mean_ < least_) mean_ = least_;
  // Small corrections are not worth new countdowns everywhere.
  if (before != 0 && mean_ > before * 0.7 && mean_ < before * 1.4) mean_ = before;
  restart(now);
  return mean_ != before;
}

bool SamplingControl::relax(uint64_t now) {
  refill(now);
  if (mean_ == 0) return false;
  double before = mean_;
  mean_ = mean_ < 4096 ? 0 : mean_ / 4;
  if (mean_ < least_) mean_ = least_;
  restart(now);
  return mean_ != before;
}

bool SamplingControl::at_least(double mean) {
  least_ = mean;
  if (mean_ >= least_) return false;
  mean_ = least_;
  return true;
}

bool sample_block(uint64_t bytes, double* weight) {
  ThreadState* thread = &t_thread;
  uint32_t epoch = g_sampling_epoch.load(std::memory_order_acquire);
  double mean = g_mean.load(std::memory_order_relaxed);
  *weight = 1;
  if (mean == 0) {
    thread->countdown = 0;
    return true;
  }
  if (thread->sampling_epoch != epoch) draw(thread, mean, epoch);
  if (pass_by(thread, bytes)) return false;
  draw(thread, mean, epoch);
  double passed = exp_minus(static_cast<double>(bytes) / mean);
  *weight = passed < 1 ? 1 / (1 - passed) : mean / static_cast<double>(bytes);
  return true;
}

void account_record(uint64_t now, uint64_t self_ns, uint64_t bytes, double weight, Charge charge) {
  uint64_t most = kMostRecord + bytes / 4096 * kMostPerPage;
  if (self_ns > most) self_ns = most;
  add_self_ns(self_ns);
  ControlLock lock;
  if (!lock.held()) return;
  g_last_record.store(now, std::memory_order_relaxed);
  bool changed = g_control.feed(now, self_ns, bytes, weight, charge);
  uint64_t used = g_state.trace_bytes.load(std::memory_order_relaxed);
  changed |= g_control.at_least(least_mean(used, g_state.settings.trace_max_size));
  publish(changed);
}

void sampling_tick(uint64_t now) {
  if (now < g_last_record.load(std::memory_order_relaxed) + 100000000) return;
  ControlLock lock;
  if (lock.held()) publish(g_control.relax(now));
}

void configure_sampling(uint64_t now) {
  g_control_locked.store(false);
  g_control.configure(budget_of_each(), g_state.credit_ns, now);
  publish(true);
}

bool budget_is_easy() {
  return g_easy.load(std::memory_order_relaxed);
}

double least_mean(uint64_t used, uint64_t most) {
  constexpr double kFirst = 256 * 1024;
  if (most == 0 || used < most / 2) return 0;
  double mean = kFirst;
  for (uint64_t tenths = used / (most / 10 + 1); tenths > 5; --tenths) mean *= 4;
  return mean;
}

double exp_minus(double x) {
  if (x > 700) return 0;
  // Halved until small, a polynomial there, squared back.
  int halvings = 0;
  for (; x > 0.03125; x /= 2) ++halvings;
  double value = 1 - x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5))));
  for (; halvings > 0; --halvings) value *= value;
  return value;
}

double minus_log(double u) {
  // u = m * 2^-k with m in (0.5, 1]; ln m by the series of atanh.
  int halvings = 0;
  for (; u <= 0.5 && halvings < 1100; u *= 2) ++halvings;
  double z = (u - 1) / (u + 1), square = z * z, sum = 0;
  for (int i = 19; i >= 1; i -= 2) sum = sum * square + 1.0 / i;
  return halvings * 0.6931471805599453 - 2 * z * sum;
}

}  // namespace ftprof
