#include "analyzer/prices.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "analyzer/perf_probe.h"

namespace ftprof {
namespace {

// Many short measurements: one that lasts 80 us is seldom interrupted, and the median passes over
// those that were.
constexpr int kRounds = 100;
constexpr size_t kStretchPages = 64;
constexpr size_t kHugeBytes = 2 << 20;

double now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// One aligned huge page's worth of memory. store and load walk its first stretch, emptied again
// between measurements.
class Scratch {
 public:
  Scratch()
      : memory_(mmap(nullptr, 2 * kHugeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                     -1, 0)) {
    auto address = reinterpret_cast<uintptr_t>(memory_) + kHugeBytes - 1;
    begin_ = reinterpret_cast<char*>(address & ~(kHugeBytes - 1));
    use_huge(false);
  }
  ~Scratch() {
    if (good()) munmap(memory_, 2 * kHugeBytes);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  bool good() const { return memory_ != MAP_FAILED; }
  void empty() { madvise(begin_, kHugeBytes, MADV_DONTNEED); }
  bool use_huge(bool yes) {
    return madvise(begin_, kHugeBytes, yes ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) == 0;
  }
  bool populate() {
    return madvise(begin_, kStretchPages * page_, 23 /* MADV_POPULATE_WRITE */) == 0;
  }
  void store() {
    for (size_t at = 0; at < kStretchPages * page_; at += page_)
      static_cast<volatile char*>(begin_)[at] = 1;
  }
  void load() {
    for (size_t at = 0; at < kStretchPages * page_; at += page_)
      (void)static_cast<volatile char*>(begin_)[at];
  }

 private:
  void* memory_;
  char* begin_;
  size_t page_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
};

double timed(const std::function<void()>& work) {
  double begin = now_ns();
  work();
  return now_ns() - begin;
}

// The median, with the standard error that the middle half's width gives it: one measurement that
// an interrupt fell into moves neither.
PriceEstimate estimate(std::vector<double> values) {
  std::ranges::sort(values);
  size_t count = values.size();
  double middle = (values[(count - 1) / 2] + values[count / 2]) / 2;
  double deviation = (values[count * 3 / 4] - values[count / 4]) / 1.349;
  return {middle, 1.253 * deviation / std::sqrt(static_cast<double>(count))};
}

class Meter {
 public:
  Prices run() {
    if (!scratch_.good()) return {};
    for (int i = 0; i < kRounds; ++i) small_pages();
    for (int i = 0; i < kRounds / 10; ++i) huge_page();
    return {{kind("write", write_), kind("zero_read", zero_read_),
             kind("write_after_zero_read", write_after_), kind("huge", huge_),
             kind("populate", populate_)},
            {mode("faults.source=pagemap", unrecorded_),
             mode("faults.period=127 faults.timed=all", thinned_),
             mode("faults.period=1 faults.timed=none", entries_),
             mode("faults.period=1 faults.timed=all", pairs_)}};
  }

 private:
  using Values = std::vector<double>;

  // Per page of a pass over emptied memory, less a pass over memory that is there.
  double first_store() {
    scratch_.empty();
    double first = timed([&] { scratch_.store(); });
    return (first - timed([&] { scratch_.store(); })) / kStretchPages;
  }

  // All in one round, side by side, so that a machine whose speed drifts fools none of them.
  void small_pages() {
    double bare = first_store();
    write_.push_back(bare);
    unrecorded_.push_back(0);
    recorded(PerfProbe::kEntries, 1, bare, entries_);
    recorded(PerfProbe::kEntries | PerfProbe::kHandled, 1, bare, pairs_);
    recorded(PerfProbe::kEntries | PerfProbe::kHandled, 127, bare, thinned_);
    scratch_.empty();
    zero_read_.push_back(timed([&] { scratch_.load(); }) / kStretchPages);
    write_after_.push_back(timed([&] { scratch_.store(); }) / kStretchPages);
    scratch_.empty();
    double populated = timed([&] { can_populate_ = scratch_.populate(); });
    if (can_populate_) populate_.push_back(populated / kStretchPages);
  }

  void recorded(int sets, uint64_t period, double bare, Values& added) {
    if (!perf_.open(sets, period)) return;
    added.push_back(first_store() - bare);
    perf_.close();
    perf_.drain();
  }

  static long own_faults() {
    rusage usage = {};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
  }

  // Counts only where a single fault brought the whole huge page.
  void huge_page() {
    if (!scratch_.use_huge(true)) return;
    scratch_.empty();
    long before = own_faults();
    double first = timed([&] { scratch_.store(); });
    if (own_faults() - before == 1) huge_.push_back(first - timed([&] { scratch_.store(); }));
    scratch_.use_huge(false);
  }

  static KindPrice kind(const std::string& name, const Values& values) {
    KindPrice price{name, std::nullopt};
    if (!values.empty()) price.price = estimate(values);
    return price;
  }

  ModePrice mode(const std::string& name, const Values& added) const {
    ModePrice price{name, std::nullopt, 1};
    if (added.empty()) return price;
    price.added = estimate(added);
    price.added->ns = std::max(0.0, price.added->ns);
    price.ratio = 1 + price.added->ns / estimate(write_).ns;
    return price;
  }

  Scratch scratch_;
  PerfProbe perf_;
  bool can_populate_ = false;
  Values write_, zero_read_, write_after_, huge_, populate_;
  Values unrecorded_, thinned_, entries_, pairs_;
};

}  // namespace

Prices measure_prices() {
  return Meter().run();
}

}  // namespace ftprof
