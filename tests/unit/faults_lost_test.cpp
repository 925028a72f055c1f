// Lost records: stated once, whoever tells first; and what the kernel's own counts say of a ring
// that nobody reads, by the kernel's number of dropped records and by its number of faults.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/lost_count.h"
#include "preload/perf_events.h"
#include "preload/state.h"
#include "preload/sys.h"

namespace ftprof {

void note_own_range(const void*, size_t) {}
size_t list_threads(int* tids, size_t) {
  tids[0] = sys::gettid();
  return 1;
}

namespace {

TEST(LostCount, ARecordAndTheKernelTellTheSameOnce) {
  LostCount lost;
  EXPECT_EQ(lost.kernel_says(5), 5U);
  EXPECT_EQ(lost.record_says(5), 0U);
  EXPECT_EQ(lost.record_says(3), 3U);
  EXPECT_EQ(lost.kernel_says(8), 0U);
  EXPECT_EQ(lost.kernel_says(9), 1U);
}

// Counts what a ring holds.
struct Counter : RingVisitor {
  uint64_t entries = 0;
  void on_entry(uint32_t, uint64_t, uint64_t, uint64_t) override { ++entries; }
  void on_handled(uint32_t, uint64_t, uint64_t, bool) override {}
  void on_lost(uint64_t) override {}
  void on_thread_name(uint32_t, const char*) override {}
  void on_thread_begin(uint32_t, uint32_t) override {}
  void on_thread_end(uint32_t) override {}
};

class SmallRing : public testing::TestWithParam<bool> {
 protected:
  static constexpr uint64_t kPages = 500;  // the ring has room for a hundred

  void SetUp() override {
    g_state.page_bytes = 4096;
    g_state.page_shift = 12;
    cpus_ = static_cast<unsigned>(sysconf(_SC_NPROCESSORS_CONF));
    ASSERT_LE(cpus_, kMost);
    if (GetParam()) events_.without_lost();
    if (events_.open_rings(rings_, cpus_, 4096) != 0) GTEST_SKIP() << "perf is refused here";
    events_.begin_count(true);
  }
  void TearDown() override {
    events_.close(PerfEvents::kEntries);
    events_.close_rings();
  }

  static void touch() {
    void* memory =
        mmap(nullptr, kPages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, kPages * 4096, MADV_NOHUGEPAGE);
    for (uint64_t i = 0; i < kPages; ++i) static_cast<volatile char*>(memory)[i * 4096] = 1;
    munmap(memory, kPages * 4096);
  }
  // What came, and with it what is lost, over all CPUs.
  uint64_t came_and_lost() {
    uint64_t sum = 0;
    for (unsigned cpu = 0; cpu < cpus_; ++cpu) {
      Counter counter;
      if (rings_[cpu].attached()) rings_[cpu].drain(counter);
      came_[cpu] += counter.entries;
      lost_ += events_.dropped(cpu, came_[cpu]);
      sum += came_[cpu];
    }
    return sum + lost_;
  }

  static constexpr unsigned kMost = 1024;
  unsigned cpus_ = 0;
  PerfRing rings_[kMost];
  uint64_t came_[kMost] = {}, lost_ = 0;
  PerfEvents events_;
};

TEST_P(SmallRing, TellsWhatItDroppedWithoutAnotherRecord) {
  ASSERT_EQ(events_.switch_on(PerfEvents::kEntries, 1, 0), 0);
  touch();
  uint64_t faults = came_and_lost();
  EXPECT_GT(lost_, kPages / 2);
  EXPECT_GE(faults, kPages);
  EXPECT_LE(faults, kPages + 100);  // the test's own code, stack and shadow
}

TEST_P(SmallRing, StillTellsItWhenTheEventsAreClosed) {
  ASSERT_EQ(events_.switch_on(PerfEvents::kEntries, 1, 0), 0);
  touch();
  events_.close(PerfEvents::kEntries);
  uint64_t faults = came_and_lost();
  EXPECT_GE(faults, kPages);
  EXPECT_LE(faults, kPages + 100);
}

INSTANTIATE_TEST_SUITE_P(, SmallRing, testing::Values(false, true),
                         [](const auto& with) { return with.param ? "ByFaults" : "ByDropped"; });

}  // namespace
}  // namespace ftprof
