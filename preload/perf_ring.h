// A perf ring buffer as the kernel fills it, and the records in it that matter here.
//
// The kernel moves data_head (read with acquire), the reader data_tail (stored with release); one
// reader at a time. A record may wrap around the end; it is copied out, so a visitor gets whole
// ones.
//
// All events of a CPU share one ring, and their samples are told apart by their size alone: an
// identifier in each would cost 8 bytes and the kernel's time to write them.
#pragma once

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

namespace ftprof {

// What each event asks for in a sample; the fields stand in this order.
inline constexpr uint64_t kHandledSample = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
inline constexpr uint64_t kEntrySample = kHandledSample | PERF_SAMPLE_IP;
inline constexpr uint64_t kMajorSample = kHandledSample | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;

class RingVisitor {
 public:
  virtual void on_entry(uint32_t tid, uint64_t ip, uint64_t addr, uint64_t time) = 0;
  virtual void on_handled(uint32_t tid, uint64_t addr, uint64_t time, bool major) = 0;
  virtual void on_lost(uint64_t records) = 0;
  virtual void on_thread_name(uint32_t tid,
                              const char* name) = 0;  // it calls itself so from now on
  virtual void on_thread_begin(uint32_t tid, uint32_t parent_tid) = 0;
  virtual void on_thread_end(uint32_t tid) = 0;

 protected:
  ~RingVisitor() = default;
};

class PerfRing {
 public:
  static constexpr size_t kLongestRecord = 256;  // longer ones are skipped: none of ours is

  // page: the mapping's first page; data follows it, `bytes` (a power of two) long.
  void attach(void* page, size_t page_bytes, size_t bytes);
  bool attached() const { return page_ != nullptr; }
  void* memory() const { return page_; }
  size_t data_bytes() const { return bytes_; }

  // Visits everything up to the head at the time of the call; returns the records seen.
  size_t drain(RingVisitor& visitor);

 private:
  size_t take(uint64_t position, RingVisitor& visitor) const;
  void copy(uint64_t position, void* to, size_t bytes) const;

  perf_event_mmap_page* page_ = nullptr;
  const char* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace ftprof
