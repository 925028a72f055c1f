#include "analyzer/perf_probe.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace ftprof {
namespace {

perf_event_attr software_event(uint64_t config) {
  perf_event_attr attr = {};
  attr.type = PERF_TYPE_SOFTWARE;
  attr.size = sizeof attr;
  attr.config = config;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
  return attr;
}

perf_event_attr fault_event(uint64_t config, uint64_t period) {
  perf_event_attr attr = software_event(config);
  attr.sample_period = period;
  if (config == PERF_COUNT_SW_PAGE_FAULTS) attr.sample_type |= PERF_SAMPLE_IP;
  attr.inherit = 1;
  attr.inherit_thread = 1;
  return attr;
}

int open_perf(perf_event_attr attr, unsigned cpu) {
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attr, 0, static_cast<int>(cpu), -1, PERF_FLAG_FD_CLOEXEC));
}

size_t page_bytes() {
  return static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

PerfProbe::PerfProbe() {
  size_t bytes = kWantedRing;
  while (!open_rings(bytes) && (errno == EPERM || errno == ENOMEM) &&
         verdict_.call != "perf_event_open" && bytes > page_bytes())
    bytes /= 2;
}

PerfProbe::~PerfProbe() {
  close();
  close_rings();
}

bool PerfProbe::open_ring(unsigned cpu, size_t bytes) {
  perf_event_attr attr = software_event(PERF_COUNT_SW_DUMMY);
  attr.sample_period = 1;
  Ring ring;
  ring.cpu = cpu;
  verdict_.call = "perf_event_open";
  ring.event = open_perf(attr, cpu);
  if (ring.event < 0) return errno == ENODEV;  // the CPU is offline
  verdict_.call = "mmap of a ring";
  void* memory =
      mmap(nullptr, page_bytes() + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring.event, 0);
  if (memory == MAP_FAILED) {
    int error = errno;
    ::close(ring.event);
    errno = error;
    return false;
  }
  ring.memory = memory;
  rings_.push_back(ring);
  return true;
}

bool PerfProbe::open_rings(size_t bytes) {
  auto cpus = static_cast<unsigned>(sysconf(_SC_NPROCESSORS_CONF));
  verdict_ = {};
  verdict_.ring_bytes = bytes;
  for (unsigned cpu = 0; cpu < cpus; ++cpu) {
    if (open_ring(cpu, bytes)) continue;
    verdict_.error = errno;
    close_rings();
    errno = verdict_.error;
    return false;
  }
  verdict_.permitted = true;
  verdict_.call.clear();
  return true;
}

void PerfProbe::close_rings() {
  for (const Ring& ring : rings_) {
    munmap(ring.memory, page_bytes() + verdict_.ring_bytes);
    ::close(ring.event);
  }
  rings_.clear();
}

bool PerfProbe::open_event(const Ring& ring, uint64_t config, uint64_t period) {
  int event = open_perf(fault_event(config, period), ring.cpu);
  if (event < 0) return false;
  events_.push_back(event);
  return ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, ring.event) == 0;
}

bool PerfProbe::open(int sets, uint64_t period) {
  bool all = !rings_.empty();
  for (const Ring& ring : rings_) {
    if (sets & kHandled) {
      all = all && open_event(ring, PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1);
      all = all && open_event(ring, PERF_COUNT_SW_PAGE_FAULTS_MIN, period);
    }
    if (sets & kEntries) all = all && open_event(ring, PERF_COUNT_SW_PAGE_FAULTS, period);
  }
  int error = errno;
  if (!all) close();
  errno = error;
  return all;
}

void PerfProbe::close() {
  for (int event : events_) ::close(event);
  events_.clear();
}

uint64_t PerfProbe::drain() {
  uint64_t samples = 0;
  for (const Ring& ring : rings_) {
    auto page = static_cast<perf_event_mmap_page*>(ring.memory);
    const char* data = static_cast<const char*>(ring.memory) + page_bytes();
    uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    for (uint64_t at = page->data_tail; at < head;) {
      // Records are multiples of 8 bytes, so that a header never wraps around.
      auto header = reinterpret_cast<const perf_event_header*>(data + at % verdict_.ring_bytes);
      samples += header->type == PERF_RECORD_SAMPLE;
      if (header->size == 0) break;
      at += header->size;
    }
    __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
  }
  return samples;
}

PerfVerdict try_perf() {
  PerfProbe probe;
  PerfVerdict verdict = probe.rings();
  if (!verdict.permitted) return verdict;
  if (!probe.open(PerfProbe::kEntries | PerfProbe::kHandled, 1)) {
    verdict = {false, verdict.ring_bytes, errno, "perf_event_open of page faults", 0};
    return verdict;
  }
  size_t bytes = 8 * page_bytes();
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return verdict;
  for (size_t at = 0; at < bytes; at += page_bytes()) static_cast<volatile char*>(memory)[at] = 1;
  munmap(memory, bytes);
  verdict.recorded = probe.drain();
  if (verdict.recorded == 0) verdict = {false, verdict.ring_bytes, 0, "recording a fault", 0};
  return verdict;
}

}  // namespace ftprof
