#include "preload/perf_events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include "preload/memory.h"
#include "preload/state.h"
#include "preload/sys.h"
#include "preload/tasks.h"

namespace ftprof {
namespace {

// A wake-up for so many parts of the ring. While it fills the collector comes by itself, long
// before; the rest of it is slack for a collector that is not scheduled at once.
constexpr uint32_t kWakeParts = 2;
constexpr size_t kLeastWakeBytes = 2048;
constexpr size_t kMostThreads = 16 * 1024;
constexpr size_t kMostEvents = 256 * 1024;

perf_event_attr software_event(uint64_t config) {
  perf_event_attr attr = {};
  attr.type = PERF_TYPE_SOFTWARE;
  attr.size = sizeof attr;
  attr.config = config;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  return attr;
}

perf_event_attr ring_event(size_t ring_bytes) {
  perf_event_attr attr = software_event(PERF_COUNT_SW_DUMMY);
  attr.sample_period = 1;
  attr.sample_type = kHandledSample;
  attr.watermark = 1;
  size_t part = ring_bytes / kWakeParts;
  attr.wakeup_watermark = static_cast<uint32_t>(part < kLeastWakeBytes ? kLeastWakeBytes : part);
  return attr;
}

perf_event_attr fault_event(uint64_t config, uint64_t period, bool counts_dropped) {
  perf_event_attr attr = software_event(config);
  attr.sample_period = period;
  attr.sample_type = config == PERF_COUNT_SW_PAGE_FAULTS       ? kEntrySample
                     : config == PERF_COUNT_SW_PAGE_FAULTS_MAJ ? kMajorSample
                                                               : kHandledSample;
  attr.inherit = 1;
  attr.inherit_thread = 1;
  attr.comm = attr.task = config == PERF_COUNT_SW_PAGE_FAULTS;
  if (counts_dropped) attr.read_format = 1 << 4;  // PERF_FORMAT_LOST, Linux 6.0
  return attr;
}

long open_perf(perf_event_attr attr, int tid, unsigned cpu) {
  return sys::call(SYS_perf_event_open, sys::as_long(&attr), tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

bool contains(const int* tids, size_t count, int tid) {
  for (size_t i = 0; i < count; ++i)
    if (tids[i] == tid) return true;
  return false;
}

}  // namespace

bool EventList::reserve(size_t most) {
  if (events_ != nullptr) return true;
  events_ = static_cast<Event*>(own_lazy_memory(most * sizeof *events_));
  capacity_ = events_ != nullptr ? most : 0;
  return events_ != nullptr;
}

bool EventList::add(Event event) {
  if (count_ == capacity_) return false;
  events_[count_++] = event;
  return true;
}

void EventList::close_all() {
  while (count_ > 0) sys::close(events_[--count_].fd);
}

long PerfEvents::open_ring(unsigned cpu, size_t bytes) {
  long fd = open_perf(ring_event(bytes), 0, cpu);
  if (fd == -ENODEV) return 0;  // the CPU is offline
  if (sys::failed(fd)) return fd;
  void* page = sys::map(nullptr, g_state.page_bytes + bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                        static_cast<int>(fd));
  if (sys::failed(page)) {
    sys::close(static_cast<int>(fd));
    // A refusal of its own, to be told from perf_event_open's: locked memory is short.
    long error = reinterpret_cast<long>(page);
    return error == -EPERM ? -ENOBUFS : error;
  }
  ring_fds_[cpu] = static_cast<int>(fd);
  rings_[cpu].attach(page, g_state.page_bytes, bytes);
  return 0;
}

long PerfEvents::open_rings(PerfRing* rings, unsigned cpus, size_t bytes) {
  if (ring_fds_ == nullptr)
    ring_fds_ = static_cast<int*>(own_lazy_memory(kMaxCpus * sizeof *ring_fds_));
  if (closed_ == nullptr)
    closed_ = static_cast<uint64_t*>(own_lazy_memory(kMaxCpus * sizeof *closed_));
  if (ring_fds_ == nullptr || closed_ == nullptr || !sets_[kEntries].reserve(kMostEvents) ||
      !sets_[kHandled].reserve(kMostEvents))
    return -ENOMEM;
  rings_ = rings;
  cpus_ = cpus;
  for (unsigned cpu = 0; cpu < cpus; ++cpu) ring_fds_[cpu] = -1;
  for (unsigned cpu = 0; cpu < cpus; ++cpu) {
    long error = open_ring(cpu, bytes);
    // Locked memory is accounted per user: another profiled process may have most of it.
    while ((error == -ENOBUFS || error == -ENOMEM) && cpu == 0 && bytes > g_state.page_bytes)
      error = open_ring(cpu, bytes /= 2);
    if (error == 0) continue;
    close_rings();
    bool short_of_memory = error == -ENOBUFS || error == -ENOMEM;
    if (cpu > 0 && short_of_memory && bytes > g_state.page_bytes)
      return open_rings(rings, cpus, bytes / 2);
    return error;
  }
  return 0;
}

void PerfEvents::close_rings() {
  for (unsigned cpu = 0; cpu < cpus_; ++cpu) {
    if (ring_fds_[cpu] < 0) continue;
    sys::unmap(rings_[cpu].memory(), g_state.page_bytes + rings_[cpu].data_bytes());
    sys::close(ring_fds_[cpu]);
    rings_[cpu] = PerfRing();
    ring_fds_[cpu] = -1;
  }
}

long PerfEvents::open_event(Set set, uint64_t config, int tid, unsigned cpu, uint64_t period) {
  long fd = open_perf(fault_event(config, period, counts_dropped_), tid, cpu);
  if (fd == -EINVAL && counts_dropped_) {
    counts_dropped_ = false;
    fd = open_perf(fault_event(config, period, false), tid, cpu);
  }
  if (sys::failed(fd)) return fd;
  long result = sys::ioctl(static_cast<int>(fd), PERF_EVENT_IOC_SET_OUTPUT, ring_fds_[cpu]);
  if (!sys::failed(result) && sets_[set].add({static_cast<int>(fd), cpu})) return 0;
  sys::close(static_cast<int>(fd));
  return sys::failed(result) ? result : -EMFILE;
}

long PerfEvents::open_on(Set set, int tid, uint64_t period) {
  for (unsigned cpu = 0; cpu < cpus_; ++cpu) {
    if (ring_fds_[cpu] < 0) continue;
    long error = 0;
    if (set == kEntries) {
      error = open_event(set, PERF_COUNT_SW_PAGE_FAULTS, tid, cpu, period);
    } else {
      // A major fault is rare and dear: each is sampled, so that none passes for a failed one.
      error = open_event(set, PERF_COUNT_SW_PAGE_FAULTS_MAJ, tid, cpu, 1);
      if (error == 0) error = open_event(set, PERF_COUNT_SW_PAGE_FAULTS_MIN, tid, cpu, period);
    }
    if (error != 0) return error;
  }
  return 0;
}

// A thread that was made meanwhile by one that was not observed yet is found by looking again; one
// that was made by an observed thread is then opened twice, which FaultJoin recognises.
long PerfEvents::open_on_threads(Set set, uint64_t period, int collector_tid, int* tids) {
  int* known = tids + kMostThreads;
  size_t known_count = 0;
  known[known_count++] = collector_tid;
  for (int round = 0; round < 3; ++round) {
    size_t count = list_threads(tids, kMostThreads), before = known_count;
    for (size_t i = 0; i < count && known_count < kMostThreads; ++i) {
      if (contains(known, before, tids[i])) continue;
      long error = open_on(set, tids[i], period);
      if (known_count > 1 && (error == -EMFILE || error == -ENFILE)) incomplete_[set] = true;
      if (error != 0 && error != -ESRCH) return error;
      known[known_count++] = tids[i];
    }
    if (known_count == before) break;
  }
  return known_count == 1 ? open_on(set, g_state.pid, period) : 0;
}

long PerfEvents::switch_on(Set set, uint64_t period, int collector_tid) {
  if (disabled_[set]) {
    disabled_[set] = false;
    request(set, PERF_EVENT_IOC_ENABLE);
    return 0;
  }
  size_t bytes = 2 * kMostThreads * sizeof(int);
  int* tids = static_cast<int*>(sys::map_private(bytes));
  if (tids == nullptr) return -ENOMEM;
  incomplete_[set] = false;
  long error = open_on_threads(set, period, collector_tid, tids);
  sys::unmap(tids, bytes);
  if (incomplete_[set]) return 0;
  if (error != 0) close(set);
  return error;
}

void PerfEvents::switch_off(Set set) {
  if (!is_on(set)) return;
  disabled_[set] = many_threads();
  if (disabled_[set])
    request(set, PERF_EVENT_IOC_DISABLE);
  else
    close(set);
}

void PerfEvents::request(Set set, unsigned long what) {
  for (size_t i = 0; i < sets_[set].size(); ++i) sys::ioctl(sets_[set][i].fd, what, 0);
}

// More than can be opened one by one within half of the descriptors, or in good time.
bool PerfEvents::many_threads() const {
  constexpr uint64_t kEventsEach = 3, kMost = 32;
  int tids[kMost + 1];
  uint64_t threads = list_threads(tids, kMost + 1);
  rlimit limit{};
  sys::get_limit(RLIMIT_NOFILE, &limit);
  return threads > kMost || threads * cpus_ * kEventsEach > limit.rlim_cur / 2;
}

// What events told is kept, so that opening and closing them changes no sum.
void PerfEvents::close(Set set) {
  for (size_t i = 0; i < sets_[set].size(); ++i)
    closed_[sets_[set][i].cpu] += told_by(sets_[set][i]);
  sets_[set].close_all();
  disabled_[set] = false;
}

void PerfEvents::begin_count(bool every_fault) {
  every_fault_ = every_fault;
  for (unsigned cpu = 0; cpu < cpus_; ++cpu) closed_[cpu] = 0;
}

// Records dropped, or else faults seen. An event tells for those that were inherited from it, too.
uint64_t PerfEvents::told_by(const EventList::Event& event) const {
  uint64_t count_and_lost[2] = {};
  long bytes = counts_dropped_ ? sizeof count_and_lost : sizeof count_and_lost[0];
  if (sys::read(event.fd, count_and_lost, static_cast<size_t>(bytes)) != bytes) return 0;
  return count_and_lost[counts_dropped_];
}

uint64_t PerfEvents::dropped(unsigned cpu, uint64_t came) const {
  uint64_t told = closed_[cpu];
  for (const EventList& set : sets_)
    for (size_t i = 0; i < set.size(); ++i)
      if (set[i].cpu == cpu) told += told_by(set[i]);
  if (counts_dropped_) return told;
  return every_fault_ && told > came ? told - came : 0;
}

}  // namespace ftprof
