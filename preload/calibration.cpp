#include "preload/calibration.h"

#include <sys/mman.h>

#include "preload/state.h"
#include "preload/sys.h"

namespace ftprof {
namespace {

using trace::PriceKind;

constexpr int kStretches = 8;  // measurements of each kind
constexpr size_t kHugeBytes = 2 << 20;

// Faults in one measurement: all of them have room in the scratch mapping.
size_t stretch_pages() {
  size_t most = kHugeBytes / g_state.page_bytes / (2 * kStretches);
  return most < 32 ? most : 32;
}

// A mapping with an aligned huge page's worth of room, unmapped on leaving.
class Scratch {
 public:
  Scratch()
      : memory_(sys::map(nullptr, 2 * kHugeBytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)) {}
  ~Scratch() {
    if (good()) sys::unmap(memory_, 2 * kHugeBytes);
  }
  bool good() const { return !sys::failed(memory_); }
  volatile char* begin() const {
    uintptr_t address = reinterpret_cast<uintptr_t>(memory_) + kHugeBytes - 1;
    return reinterpret_cast<volatile char*>(address & ~(kHugeBytes - 1));
  }
  long advise(int advice) const {
    return sys::advise(const_cast<char*>(begin()), kHugeBytes, advice);
  }

 private:
  void* memory_;
};

// Sums up the pairs of the calling thread's own faults.
class PairSum : public RingVisitor {
 public:
  explicit PairSum(uint32_t tid) : tid_(tid) {}
  double mean() const { return pairs_ > 0 ? static_cast<double>(ns_) / pairs_ : 0; }
  int pairs() const { return pairs_; }

  void on_entry(uint32_t tid, uint64_t, uint64_t addr, uint64_t time) override {
    if (tid == tid_) addr_ = addr, time_ = time;
  }
  void on_handled(uint32_t tid, uint64_t addr, uint64_t time, bool) override {
    if (tid == tid_ && addr == addr_) ns_ += time - time_, ++pairs_;
  }
  void on_lost(uint64_t) override {}
  void on_thread_name(uint32_t, const char*) override {}
  void on_thread_begin(uint32_t, uint32_t) override {}
  void on_thread_end(uint32_t) override {}

 private:
  uint32_t tid_;
  uint64_t addr_ = 0, time_ = 0, ns_ = 0;
  int pairs_ = 0;
};

double store_each(volatile char* page, size_t pages) {
  uint64_t begin = sys::monotonic_ns();
  for (size_t i = 0; i < pages; ++i) page[i * g_state.page_bytes] = 1;
  return static_cast<double>(sys::monotonic_ns() - begin) / static_cast<double>(pages);
}

double load_each(volatile char* page, size_t pages) {
  uint64_t begin = sys::monotonic_ns();
  for (size_t i = 0; i < pages; ++i) (void)(0 + page[i * g_state.page_bytes]);
  return static_cast<double>(sys::monotonic_ns() - begin) / static_cast<double>(pages);
}

double bare_fault(volatile char* page) {
  double first = store_each(page, stretch_pages());
  return first - store_each(page, stretch_pages());
}

Price price_of(double* values) {
  double middle = median_of(values, kStretches);
  return {middle, spread_of(values, kStretches)};
}

class Calibrator {
 public:
  Calibrator(PerfEvents* events, PerfRing* rings, int tid, Calibration* to)
      : events_(events), rings_(rings), tid_(tid), to_(to) {}

  bool run() {
    if (!scratch_.good()) return false;
    scratch_.advise(MADV_NOHUGEPAGE);
    writes();
    scratch_.advise(MADV_DONTNEED);
    reads_then_writes();
    scratch_.advise(MADV_DONTNEED);
    populates();
    scratch_.advise(MADV_DONTNEED);
    huge_pages();
    return true;
  }

 private:
  volatile char* stretch(int number) const {
    return scratch_.begin() + static_cast<size_t>(number) * stretch_pages() * g_state.page_bytes;
  }
  Price& price(PriceKind kind) { return to_->prices[static_cast<int>(kind)]; }

  // Bare and recorded stretches side by side, so that a machine whose speed drifts fools neither.
  void writes() {
    double bare[kStretches], excess[kStretches], extra[kStretches];
    bool recorded = events_ != nullptr;
    for (int i = 0; i < kStretches; ++i) {
      bare[i] = bare_fault(stretch(2 * i));
      double raw = 0, whole = 0;
      recorded = recorded && record(stretch(2 * i + 1), &raw, &whole);
      excess[i] = raw - bare[i];
      extra[i] = whole - bare[i];
    }
    price(PriceKind::write) = price_of(bare);
    if (!recorded) return;
    to_->raw_excess_ns = median_of(excess, kStretches);
    to_->record_ns = median_of(extra, kStretches);
    to_->recorded = true;
  }

  bool record(volatile char* page, double* raw, double* whole) {
    bool open = events_->open_on(PerfEvents::kHandled, tid_, 1) == 0 &&
                events_->open_on(PerfEvents::kEntries, tid_, 1) == 0;
    if (open) *whole = store_each(page, stretch_pages());
    events_->close(PerfEvents::kEntries);
    events_->close(PerfEvents::kHandled);
    PairSum sum(static_cast<uint32_t>(tid_));
    for (unsigned cpu = 0; cpu < events_->cpus(); ++cpu)
      if (rings_[cpu].attached()) rings_[cpu].drain(sum);
    *raw = sum.mean();
    return open && sum.pairs() > 0;
  }

  void reads_then_writes() {
    double reads[kStretches], writes[kStretches];
    for (int i = 0; i < kStretches; ++i) {
      reads[i] = load_each(stretch(i), stretch_pages());
      writes[i] = bare_fault(stretch(i));
    }
    price(PriceKind::zero_read) = price_of(reads);
    price(PriceKind::write_after_zero_read) = price_of(writes);
  }

  void populates() {
    double values[kStretches];
    size_t bytes = stretch_pages() * g_state.page_bytes;
    for (int i = 0; i < kStretches; ++i) {
      uint64_t begin = sys::monotonic_ns();
      if (sys::failed(sys::advise(const_cast<char*>(stretch(i)), bytes, MADV_POPULATE_WRITE)))
        return;
      values[i] =
          static_cast<double>(sys::monotonic_ns() - begin) / static_cast<double>(stretch_pages());
    }
    price(PriceKind::populate) = price_of(values);
  }

  static uint64_t own_faults() {
    rusage usage{};
    sys::getrusage(RUSAGE_THREAD, &usage);
    return static_cast<uint64_t>(usage.ru_minflt);
  }

  // Known only where one fault really brought the whole huge page.
  void huge_pages() {
    constexpr int kTries = 5;
    double values[kTries];
    for (double& value : values) {
      if (sys::failed(scratch_.advise(MADV_HUGEPAGE))) return;
      uint64_t faults = own_faults();
      value = store_each(scratch_.begin(), 1);
      store_each(scratch_.begin(), kHugeBytes / g_state.page_bytes);
      if (own_faults() - faults != 1) return;
      scratch_.advise(MADV_DONTNEED);
    }
    double middle = median_of(values, kTries);
    price(PriceKind::huge) = {middle, spread_of(values, kTries)};
  }

  Scratch scratch_;
  PerfEvents* events_;
  PerfRing* rings_;
  int tid_;
  Calibration* to_;
};

}  // namespace

double median_of(double* values, int count) {
  for (int i = 1; i < count; ++i)
    for (int j = i; j > 0 && values[j] < values[j - 1]; --j) {
      double other = values[j];
      values[j] = values[j - 1], values[j - 1] = other;
    }
  return count % 2 != 0 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

double spread_of(const double* ordered, int count) {
  return (ordered[count * 3 / 4] - ordered[count / 4]) / 2;
}

bool calibrate(PerfEvents* events, PerfRing* rings, int collector_tid, Calibration* to) {
  *to = Calibration();
  return Calibrator(events, rings, collector_tid, to).run();
}

}  // namespace ftprof
