#include "preload/snapshot.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <atomic>

#include "preload/blocks.h"
#include "preload/placement.h"
#include "preload/residency.h"
#include "preload/slots.h"
#include "preload/state.h"
#include "preload/sys.h"
#include "preload/tasks.h"

namespace ftprof {
namespace {

// residency.probe=auto: how long a snapshot looks at every page with its kind, and how long at
// presence; then it samples.
constexpr uint64_t kFullNs = 1000000, kPresenceNs = 2000000;
constexpr uint64_t kFinalFullNs = 20000000, kFinalPresenceNs = 60000000;
constexpr size_t kIdleRanges = 256;
// Reading the mappings may take one part in so many of the time.
constexpr uint64_t kMapsShare = 100;

uint64_t nanoseconds(const timeval& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 +
         static_cast<uint64_t>(time.tv_usec) * 1000;
}

uint64_t number_at(const char* text) {
  uint64_t value = 0;
  for (; *text >= '0' && *text <= '9'; ++text)
    value = value * 10 + static_cast<uint64_t>(*text - '0');
  return value;
}

uint64_t resident_bytes() {
  char text[128];
  if (read_small_file("/proc/self/statm", text, sizeof text) <= 0) return 0;
  const char* second = strchr(text, ' ');
  return second != nullptr ? number_at(second + 1) * g_state.page_bytes : 0;
}

uint64_t counter_in(const char* text, const char* name) {
  const char* at = strstr(text, name);
  return at != nullptr ? number_at(at + strlen(name)) : 0;
}

std::atomic<uint64_t> g_thp_fault_alloc{0}, g_thp_fault_fallback{0};
std::atomic<bool> g_thp_read{false};

void read_huge_page_counters() {
  char text[8192];
  if (read_small_file("/proc/vmstat", text, sizeof text) <= 0) return;
  g_thp_fault_alloc.store(counter_in(text, "\nthp_fault_alloc "), std::memory_order_relaxed);
  g_thp_fault_fallback.store(counter_in(text, "\nthp_fault_fallback "), std::memory_order_relaxed);
  g_thp_read.store(true, std::memory_order_relaxed);
}

// The effort that residency.probe and the time this snapshot has already taken allow.
class EffortChoice {
 public:
  explicit EffortChoice(bool final) : begin_(sys::monotonic_ns()), final_(final) {}

  Effort now() const {
    const Choice& probe = g_state.settings.residency_probe;
    if (probe.is("off")) return Effort::none;
    if (probe.is("sample")) return Effort::sample;
    if (probe.is("full")) return Effort::full;
    uint64_t taken = sys::monotonic_ns() - begin_;
    if (taken < (final_ ? kFinalFullNs : kFullNs)) return Effort::full;
    return taken < (final_ ? kFinalPresenceNs : kPresenceNs) ? Effort::presence : Effort::sample;
  }

 private:
  uint64_t begin_;
  bool final_;
};

void write_range(uint64_t address, uint64_t bytes, bool idle, Effort effort) {
  PageCounts counts = count_pages(address, bytes, effort);
  if (counts.probed == trace::kUnknownPages) return;
  emit_block(trace::Residency{address, bytes, idle, counts.probed, counts.resident, counts.zero,
                              counts.huge, counts.swapped});
}

// The largest live blocks, in no order.
class Largest {
 public:
  static void visit(const LiveBlock& block, void* largest) {
    static_cast<Largest*>(largest)->add(block);
  }
  void write() const {
    for (size_t i = 0; i < count_; ++i)
      write_range(blocks_[i].address, blocks_[i].bytes, false, Effort::sample);
  }

 private:
  static constexpr size_t kMost = 16;
  void add(const LiveBlock& block) {
    if (count_ < kMost) {
      blocks_[count_++] = block;
      return;
    }
    LiveBlock* smallest = blocks_;
    for (LiveBlock& each : blocks_)
      if (each.bytes < smallest->bytes) smallest = &each;
    if (block.bytes > smallest->bytes) *smallest = block;
  }
  LiveBlock blocks_[kMost];
  size_t count_ = 0;
};

// On which nodes it lies, too, while there is time to look closely.
void write_block(const LiveBlock& block, void* context) {
  Effort effort = static_cast<EffortChoice*>(context)->now();
  write_range(block.address, block.bytes, false, effort);
  if (effort == Effort::full)
    record_placement({}, trace::PlacementMoment::snapshot, block.address, block.bytes);
}

}  // namespace

void write_attribute(const char* key, const char* value) {
  emit_block(trace::Attribute{}, text_span(key), text_span(value));
}

void write_price(trace::PriceKind kind, const Price& price, double raw_excess_ns) {
  if (price.ns > 0)
    emit_block(trace::Price{static_cast<trace::u8>(kind), price.ns, price.error_ns, raw_excess_ns});
}

void write_prices(const Calibration& found) {
  for (int kind = 0; kind < Calibration::kKinds; ++kind)
    write_price(static_cast<trace::PriceKind>(kind), found.prices[kind], found.raw_excess_ns);
}

void write_usage(bool final, bool brief) {
  rusage used{};
  trace::Usage usage{};
  sys::getrusage(RUSAGE_SELF, &used);
  usage.final = final;
  usage.minor = static_cast<uint64_t>(used.ru_minflt);
  usage.major = static_cast<uint64_t>(used.ru_majflt);
  usage.user_ns = nanoseconds(used.ru_utime);
  usage.system_ns = nanoseconds(used.ru_stime);
  usage.peak_resident_bytes = static_cast<uint64_t>(used.ru_maxrss) * 1024;
  usage.resident_bytes = resident_bytes();
  usage.self_ns = g_state.self_ns.load(std::memory_order_relaxed);
  usage.self_faults = g_state.self_faults.load(std::memory_order_relaxed);
  usage.lost_block_records = g_state.lost_block_records.load(std::memory_order_relaxed);
  if (!brief || !g_thp_read.load(std::memory_order_relaxed)) read_huge_page_counters();
  usage.thp_fault_alloc = g_thp_fault_alloc.load(std::memory_order_relaxed);
  usage.thp_fault_fallback = g_thp_fault_fallback.load(std::memory_order_relaxed);
  emit_block(usage);
}

void Snapshots::begin() {
  rusage used{};
  sys::getrusage(RUSAGE_SELF, &used);
  auto minor = static_cast<uint64_t>(used.ru_minflt);
  uint64_t own = g_state.self_faults.load(std::memory_order_relaxed);
  MapReader::write_opening(minor > own ? minor - own : 0, static_cast<uint64_t>(used.ru_majflt));
  write_maps();
}

void Snapshots::write_maps() {
  uint64_t begin = sys::monotonic_ns();
  if (begin < maps_due_ns_) return;
  maps_.write_if_changed();
  uint64_t end = sys::monotonic_ns();
  maps_due_ns_ = end + (end - begin) * kMapsShare;
}

void Snapshots::write_residency(bool final) {
  EffortChoice effort(final);
  visit_live_blocks(write_block, &effort);
  IdleRange ranges[kIdleRanges];
  size_t count = copy_idle_ranges(ranges, kIdleRanges);
  for (size_t i = 0; i < count; ++i)
    write_range(ranges[i].address, ranges[i].bytes, true, effort.now());
}

// Once: the reader wonders why kinds of pages are missing.
void Snapshots::tell_sight() {
  if (told_sight_ || residency_sight() != Sight::presence) return;
  told_sight_ = true;
  write_attribute("note",
                  "/proc/self/pagemap cannot be read (no /proc, or the process is not dumpable): "
                  "pages are counted by mincore, and which are zero or huge is not known.");
}

// Once: the process has turned huge pages off, whatever the machine allows.
void Snapshots::tell_huge_pages() {
  if (told_huge_pages_ || sys::call(SYS_prctl, PR_GET_THP_DISABLE, 0, 0, 0, 0) != 1) return;
  told_huge_pages_ = true;
  write_attribute("thp.disabled", "1");
}

void Snapshots::look_at_pages(bool final) {
  if (final) maps_due_ns_ = 0;
  write_maps();
  write_residency(final);
  tell_sight();
  tell_huge_pages();
}

void Snapshots::take(bool final) {
  look_at_pages(final);
  write_usage(final);
}

void Snapshots::look() {
  Largest largest;
  visit_live_blocks(Largest::visit, &largest);
  if (!g_state.settings.residency_probe.is("off")) largest.write();
  write_usage(false, true);
}

bool Snapshots::idle_since_last(uint64_t program_ns) const {
  constexpr uint64_t kNothingNs = 1000000;
  return program_ns_ != 0 && program_ns - program_ns_ < kNothingNs;
}

void Snapshots::remember(uint64_t program_ns) {
  program_ns_ = program_ns;
}

}  // namespace ftprof
