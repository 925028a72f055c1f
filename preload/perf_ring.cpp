#include "preload/perf_ring.h"

#include <string.h>

namespace ftprof {
namespace {

struct ThreadSample {
  uint32_t pid, tid;
  uint64_t time, addr;
};
struct EntrySample {
  perf_event_header header;
  uint64_t ip;
  ThreadSample at;
};
struct HandledSample {
  perf_event_header header;
  ThreadSample at;
};
struct MajorSample {
  perf_event_header header;
  ThreadSample at;
  uint32_t cpu, reserved;
  uint64_t period;
};
struct LostRecord {
  perf_event_header header;
  uint64_t id, lost;
};
struct NameRecord {
  perf_event_header header;
  uint32_t pid, tid;
  char name[PerfRing::kLongestRecord - sizeof(perf_event_header) - 8];
};
struct TaskRecord {
  perf_event_header header;
  uint32_t pid, parent_pid, tid, parent_tid;
  uint64_t time;
};

template <class Record>
Record as(const char* bytes) {
  Record record;
  memcpy(&record, bytes, sizeof record);
  return record;
}

void visit_sample(const char* bytes, size_t size, RingVisitor& visitor) {
  if (size == sizeof(EntrySample)) {
    auto sample = as<EntrySample>(bytes);
    visitor.on_entry(sample.at.tid, sample.ip, sample.at.addr, sample.at.time);
  } else if (size == sizeof(HandledSample)) {
    auto sample = as<HandledSample>(bytes);
    visitor.on_handled(sample.at.tid, sample.at.addr, sample.at.time, false);
  } else if (size == sizeof(MajorSample)) {
    auto sample = as<MajorSample>(bytes);
    visitor.on_handled(sample.at.tid, sample.at.addr, sample.at.time, true);
  }
}

void visit_record(uint32_t type, char* bytes, size_t size, RingVisitor& visitor) {
  switch (type) {
    case PERF_RECORD_SAMPLE:
      return visit_sample(bytes, size, visitor);
    case PERF_RECORD_LOST:
      return visitor.on_lost(as<LostRecord>(bytes).lost);
    case PERF_RECORD_COMM:
      bytes[size - 1] = 0;
      return visitor.on_thread_name(as<NameRecord>(bytes).tid, bytes + offsetof(NameRecord, name));
    case PERF_RECORD_FORK:
      return visitor.on_thread_begin(as<TaskRecord>(bytes).tid, as<TaskRecord>(bytes).parent_tid);
    case PERF_RECORD_EXIT:
      return visitor.on_thread_end(as<TaskRecord>(bytes).tid);
    default:
      return;
  }
}

}  // namespace

void PerfRing::attach(void* page, size_t page_bytes, size_t bytes) {
  page_ = static_cast<perf_event_mmap_page*>(page);
  data_ = static_cast<const char*>(page) + page_bytes;
  bytes_ = bytes;
}

void PerfRing::copy(uint64_t position, void* to, size_t bytes) const {
  size_t at = position & (bytes_ - 1);
  size_t straight = bytes < bytes_ - at ? bytes : bytes_ - at;
  memcpy(to, data_ + at, straight);
  memcpy(static_cast<char*>(to) + straight, data_, bytes - straight);
}

// Bytes that the record at `position` takes; 0 when the ring's contents make no sense.
size_t PerfRing::take(uint64_t position, RingVisitor& visitor) const {
  perf_event_header header;
  copy(position, &header, sizeof header);
  if (header.size < sizeof header) return 0;
  alignas(8) char bytes[kLongestRecord];
  if (header.size <= sizeof bytes) {
    copy(position, bytes, header.size);
    visit_record(header.type, bytes, header.size, visitor);
  }
  return header.size;
}

size_t PerfRing::drain(RingVisitor& visitor) {
  uint64_t head = __atomic_load_n(&page_->data_head, __ATOMIC_ACQUIRE);
  uint64_t tail = page_->data_tail;
  size_t records = 0;
  for (size_t bytes; tail < head; tail += bytes, ++records) {
    bytes = take(tail, visitor);
    if (bytes == 0) tail = head;
    // Often, so that a writer that is nearly full sees the space before it has to drop a record.
    if (records % 64 == 63) __atomic_store_n(&page_->data_tail, tail, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&page_->data_tail, head, __ATOMIC_RELEASE);
  return records;
}

}  // namespace ftprof
