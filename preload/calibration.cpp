#include "preload/calibration.h"

#include <sys/mman.h>

#include "preload/recorded_stretch.h"
#include "preload/state.h"
#include "preload/sys.h"

namespace ftprof {
namespace {

using trace::PriceKind;

// How often each kind is measured.
struct Rounds {
  int passes;     // over the stretches that are stored to
  int stretches;  // of the other kinds
};
constexpr Rounds kExact{12, 5}, kThorough{3, 5}, kBrief{1, 2};
constexpr int kParts = 16;  // stretches that the scratch has room for
constexpr size_t kHugeBytes = 2 << 20;

// Faults in one measurement: all of them have room in the scratch mapping.
size_t stretch_pages() {
  size_t most = kHugeBytes / g_state.page_bytes / kParts;
  return most < 32 ? most : 32;
}

// A mapping with aligned room for some huge pages, unmapped on leaving.
class Scratch {
 public:
  explicit Scratch(size_t huge_pages = 1)
      : bytes_(huge_pages * kHugeBytes),
        memory_(sys::map(nullptr, bytes_ + kHugeBytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)) {}
  ~Scratch() {
    if (good()) sys::unmap(memory_, bytes_ + kHugeBytes);
  }
  Scratch(const Scratch&) = delete;
  bool good() const { return !sys::failed(memory_); }
  volatile char* begin() const {
    uintptr_t address = reinterpret_cast<uintptr_t>(memory_) + kHugeBytes - 1;
    return reinterpret_cast<volatile char*>(address & ~(kHugeBytes - 1));
  }
  long advise(int advice) const { return sys::advise(const_cast<char*>(begin()), bytes_, advice); }

 private:
  size_t bytes_;
  void* memory_;
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

// The first faults after anything else are slower: caches are cold. They belong to no measurement.
size_t warm_up_pages() {
  return stretch_pages() / 4;
}
volatile char* past_warm_up(volatile char* page) {
  return page + warm_up_pages() * g_state.page_bytes;
}
size_t measured_pages() {
  return stretch_pages() - warm_up_pages();
}

double bare_fault(volatile char* page) {
  store_each(page, warm_up_pages());
  page = past_warm_up(page);
  double first = store_each(page, measured_pages());
  return first - store_each(page, measured_pages());
}

Price price_of(double* values, int count) {
  double mean = mean_of_usual(values, count);
  return {mean, spread_of(values, count)};
}

uint64_t own_faults() {
  rusage usage{};
  sys::getrusage(RUSAGE_THREAD, &usage);
  return static_cast<uint64_t>(usage.ru_minflt);
}

class Calibrator {
 public:
  // recorded: nullptr where perf is refused. dense: it records every fault.
  Calibrator(RecordedStretch* recorded, bool dense, Rounds rounds, Calibration* to)
      : recorded_(recorded), dense_(dense), rounds_(rounds), to_(to) {}

  bool run() {
    if (!scratch_.good()) return false;
    scratch_.advise(MADV_NOHUGEPAGE);
    writes();
    scratch_.advise(MADV_DONTNEED);
    reads_then_writes();
    scratch_.advise(MADV_DONTNEED);
    populates();
    return true;
  }

 private:
  volatile char* stretch(int number) const {
    return scratch_.begin() + static_cast<size_t>(number) * stretch_pages() * g_state.page_bytes;
  }
  Price& price(PriceKind kind) { return to_->prices[static_cast<int>(kind)]; }

  // Bare and recorded passes in turn, so that a machine whose speed drifts fools neither. Where few
  // faults are recorded the passes are long: the code that records is then cold each time.
  void writes() {
    double bare[kExact.passes * kParts], whole[kExact.passes * kParts];
    int parts = dense_ ? kParts / 4 : kParts, count = rounds_.passes * parts;
    bool recorded = recorded_ != nullptr;
    for (int i = 0; i < rounds_.passes; ++i) {
      store_parts(bare + i * parts, parts);
      recorded = recorded && recorded_->record(begin_of_measure(),
                                               [&] { store_parts(whole + i * parts, parts); });
    }
    double spread[kExact.passes * kParts];
    for (int i = 0; i < count; ++i) spread[i] = bare[i];
    price(PriceKind::write) = price_of(spread, count);
    if (!recorded || recorded_->count() < 8) return;
    double each = mean_of_usual(bare, count);
    to_->raw_excess_ns = recorded_->mean_of_usual() - each;
    to_->record_ns = mean_of_usual(whole, count) - each;
    to_->recorded = true;
  }

  // Fresh faults of the scratch, timed part by part: the thread may lose its CPU in some of them.
  void store_parts(double* each, int parts) {
    scratch_.advise(MADV_DONTNEED);
    store_each(stretch(0), warm_up_pages());
    for (int i = 0; i < parts; ++i)
      each[i] = store_each(i == 0 ? past_warm_up(stretch(0)) : stretch(i),
                           i == 0 ? measured_pages() : stretch_pages());
  }
  uintptr_t begin_of_measure() const {
    return reinterpret_cast<uintptr_t>(past_warm_up(stretch(0)));
  }

  // A store that replaces the zero page is as dear as a first one, and a flush. While a thread of
  // the program runs on another CPU that flush interrupts it, which is ten times as dear: then this
  // price says nothing of the program without us, and is left unknown.
  void reads_then_writes() {
    constexpr double kMostAgain = 2;
    double reads[kThorough.stretches], writes[kThorough.stretches];
    for (int i = 0; i < rounds_.stretches; ++i) {
      load_each(stretch(i), warm_up_pages());
      reads[i] = load_each(past_warm_up(stretch(i)), measured_pages());
      writes[i] = bare_fault(stretch(i));
    }
    price(PriceKind::zero_read) = price_of(reads, rounds_.stretches);
    Price again = price_of(writes, rounds_.stretches);
    if (again.ns < kMostAgain * price(PriceKind::write).ns)
      price(PriceKind::write_after_zero_read) = again;
  }

  void populates() {
    double values[kThorough.stretches];
    size_t bytes = stretch_pages() * g_state.page_bytes;
    for (int i = 0; i < rounds_.stretches; ++i) {
      uint64_t begin = sys::monotonic_ns();
      if (sys::failed(sys::advise(const_cast<char*>(stretch(i)), bytes, MADV_POPULATE_WRITE)))
        return;
      values[i] =
          static_cast<double>(sys::monotonic_ns() - begin) / static_cast<double>(stretch_pages());
    }
    price(PriceKind::populate) = price_of(values, rounds_.stretches);
  }

  Scratch scratch_;
  RecordedStretch* recorded_;
  bool dense_;
  Rounds rounds_;
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

double mean_of_usual(double* values, int count) {
  double most = 3 * median_of(values, count), sum = 0;
  int usual = 0;
  for (; usual < count && values[usual] <= most; ++usual) sum += values[usual];
  return usual > 0 ? sum / usual : 0;
}

double spread_of(const double* ordered, int count) {
  return (ordered[count * 3 / 4] - ordered[count / 4]) / 2;
}

bool calibrate_bare(Calibration* to, bool brief) {
  *to = Calibration();
  return Calibrator(nullptr, true, brief ? kBrief : kThorough, to).run();
}

// Each try takes a page that is new: one that was just given back would still be in the caches.
// Known only where one fault really brought the whole huge page. A machine that takes milliseconds
// for one is asked no more often than it must be.
Price calibrate_huge() {
  constexpr int kTries = 3;
  constexpr double kEnoughNs = 2e6;
  int tries = 0;
  double spent = 0;
  Scratch scratch(kTries);
  if (!scratch.good() || sys::failed(scratch.advise(MADV_HUGEPAGE))) return {};
  double values[kTries];
  for (int i = 0; i < kTries && spent < kEnoughNs; ++i) {
    volatile char* page = scratch.begin() + static_cast<size_t>(i) * kHugeBytes;
    uint64_t faults = own_faults();
    values[i] = store_each(page, 1);
    store_each(page, kHugeBytes / g_state.page_bytes);
    if (own_faults() - faults != 1) return {};
    spent += values[i], ++tries;
  }
  double middle = median_of(values, tries);
  return {middle, spread_of(values, tries)};
}

bool calibrate(PerfEvents* events, PerfRing* rings, uint64_t period, int collector_tid, bool exact,
               Calibration* to) {
  // The passes must hold some that are recorded.
  constexpr uint64_t kMostPeriod = 61;
  *to = Calibration();
  RecordedStretch recorded(events, rings, period < kMostPeriod ? period : kMostPeriod,
                           collector_tid);
  return Calibrator(&recorded, period == 1, exact ? kExact : kThorough, to).run();
}

}  // namespace ftprof
