// Pairing and joining of fault samples, with a sink that keeps what it is given.
#include <gtest/gtest.h>

#include <vector>

#include "preload/fault_runs.h"

namespace ftprof {
namespace {

using namespace trace;

struct Record {
  u32 cpu;
  u64 time, ip, addr;
  u32 tid;
  bool run, major;
  std::vector<u32> gaps, costs;
};

struct Keeper : FaultSink {
  std::vector<Record> records;
  void fault_run(u32 cpu, u64 time, const FaultRun& run, const u16* samples) override {
    Record record{cpu, time, run.ip, run.addr, run.tid, true, false, {}, {}};
    for (int i = 0; i < run.length; i += 2) {
      record.gaps.push_back(samples[i]);
      record.costs.push_back(samples[i + 1]);
    }
    records.push_back(record);
  }
  void fault(u32 cpu, u64 time, const Fault& fault) override {
    records.push_back(
        {cpu, time, fault.ip, fault.addr, fault.tid, false, fault.major != 0, {}, {fault.cost_ns}});
  }
  size_t faults() const {
    size_t count = 0;
    for (const Record& record : records) count += record.costs.size();
    return count;
  }
};

struct FaultJoinTest : testing::Test {
  static constexpr u32 kCpus = 2;
  std::vector<char> memory = std::vector<char>(FaultJoin::bytes_needed(kCpus));
  Keeper keeper;
  FaultJoin join{keeper, memory.data(), kCpus, 12};

  void entry(u32 cpu, u32 tid, u64 page, u64 time, u64 ip = 0x400000) {
    join.entry(cpu, {tid, ip, page << 12, time});
  }
  void handled(u32 cpu, u32 tid, u64 page, u64 time, bool major = false) {
    join.handled(cpu, tid, page << 12, time, major);
  }
  void close() {
    for (u32 cpu = 0; cpu < kCpus; ++cpu) join.close(cpu);
  }
};

TEST_F(FaultJoinTest, ConsecutivePagesAreOneRunWithGapsAndCosts) {
  for (u64 i = 0; i < 100; ++i) {
    entry(0, 7, 1000 + i, 5000 + i * 300);
    handled(0, 7, 1000 + i, 5000 + i * 300 + 200 + i);
  }
  join.flush(0);
  ASSERT_EQ(keeper.records.size(), 1U);
  const Record& run = keeper.records[0];
  EXPECT_TRUE(run.run);
  EXPECT_EQ(run.time, 5000U);
  EXPECT_EQ(run.addr, 1000U << 12);
  EXPECT_EQ(run.tid, 7U);
  ASSERT_EQ(run.costs.size(), 100U);
  EXPECT_EQ(run.gaps[0], 0U);
  EXPECT_EQ(run.gaps[99], 300U);
  EXPECT_EQ(run.costs[99], 299U);
  EXPECT_EQ(join.timed(), 100U);
  EXPECT_EQ(join.raw_ns(), 100U * 200 + 99 * 100 / 2);
}

TEST_F(FaultJoinTest, ARunEndsWithThreadCodePageOrdering) {
  join.set_complete(true);
  u64 time = 0;
  auto fault = [&](u32 tid, u64 page, u64 ip) {
    entry(0, tid, page, time += 1000, ip);
    handled(0, tid, page, time + 500);
  };
  fault(1, 10, 0xA), fault(1, 11, 0xA);  // a run
  fault(2, 12, 0xA);                     // another thread
  fault(2, 13, 0xB);                     // other code
  fault(2, 13, 0xB);                     // the same page again
  fault(2, 12, 0xB);                     // downwards
  close();
  ASSERT_EQ(keeper.records.size(), 5U);
  EXPECT_TRUE(keeper.records[0].run);
  EXPECT_EQ(keeper.faults(), 6U);
}

TEST_F(FaultJoinTest, GapsAndCostsThatDoNotFitEndTheRun) {
  entry(0, 1, 10, 1000), handled(0, 1, 10, 1500);
  entry(0, 1, 11, 1000 + 0x10000), handled(0, 1, 11, 1000 + 0x10000 + 70000);  // both too long
  entry(0, 1, 12, 300000), handled(0, 1, 12, 300400, true);                    // major
  close();
  ASSERT_EQ(keeper.records.size(), 3U);
  EXPECT_EQ(keeper.records[1].costs[0], 70000U);
  EXPECT_TRUE(keeper.records[2].major);
}

TEST_F(FaultJoinTest, HandledOnAnotherCpuInEitherOrderOfReading) {
  join.set_complete(true);
  entry(0, 1, 10, 1000);
  handled(1, 1, 10, 1800);  // entry read first
  handled(1, 1, 11, 2900);  // handled read first
  entry(1, 1, 12, 3000);    // and so is the next fault of the thread
  handled(1, 1, 12, 3300);
  entry(0, 1, 11, 2000);
  close();
  EXPECT_EQ(join.faults(), 3U);
  EXPECT_EQ(join.timed(), 3U);
  EXPECT_EQ(join.failed(), 0U);
  EXPECT_EQ(join.raw_ns(), 800U + 900 + 300);
}

TEST_F(FaultJoinTest, TheNextEntryMayBeReadBeforeTheHandledSampleOfTheLast) {
  join.set_complete(true);
  entry(0, 1, 10, 1000);
  join.end_of_pass();
  entry(0, 1, 11, 3000);  // the thread was on CPU 1 in between, whose ring is read second
  handled(1, 1, 10, 1800);
  handled(0, 1, 11, 3900);
  join.end_of_pass();
  entry(0, 1, 20, 5000);  // this one fails
  entry(0, 1, 21, 6000), handled(0, 1, 21, 6500);
  for (int pass = 0; pass < 2; ++pass) join.end_of_pass();
  EXPECT_EQ(join.failed(), 1U);
  close();
  EXPECT_EQ(join.faults(), 3U);
  EXPECT_EQ(join.timed(), 3U);
}

TEST_F(FaultJoinTest, ManyFailuresInOnePassAreNotCounted) {
  join.set_complete(true);
  for (u64 i = 0; i < 1000; ++i) {
    entry(0, 1, 100 + i, 10000 * i + 1000);  // refused
    entry(0, 1, 100 + i, 10000 * i + 5000);  // allowed
    handled(0, 1, 100 + i, 10000 * i + 5500);
  }
  close();
  EXPECT_EQ(join.faults(), 1000U);
  EXPECT_EQ(join.timed(), 1000U);
  EXPECT_EQ(join.failed(), 1000U);
}

TEST_F(FaultJoinTest, AFaultThatWasNeverHandledFailedWhenAllAreTimed) {
  join.set_complete(true);
  entry(0, 1, 10, 1000);  // SIGSEGV
  entry(0, 1, 20, 2000), handled(0, 1, 20, 2500);
  close();
  EXPECT_EQ(join.failed(), 1U);
  EXPECT_EQ(join.faults(), 1U);
}

TEST_F(FaultJoinTest, AFaultFromBeforeAllWereTimedHasNotFailed) {
  join.set_complete(true, 2000);
  entry(0, 7, 1, 1900);  // read late; its handled sample was not recorded yet
  entry(0, 7, 2, 2100);
  handled(0, 7, 2, 2300);
  join.end_of_pass();
  join.end_of_pass();
  close();
  EXPECT_EQ(join.faults(), 2U);
  EXPECT_EQ(join.timed(), 1U);
  EXPECT_EQ(join.failed(), 0U);
}

TEST_F(FaultJoinTest, AFaultWithoutHandledIsUntimedWhenTimesAreSampled) {
  for (u64 i = 0; i < 10; ++i) entry(0, 1, 10 + i, 1000 + i * 100);
  close();
  EXPECT_EQ(join.faults(), 10U);
  EXPECT_EQ(join.timed(), 0U);
  ASSERT_EQ(keeper.records.size(), 1U);
  EXPECT_EQ(keeper.records[0].costs[3], kNotTimed);
}

TEST_F(FaultJoinTest, TimestampsOfACpuNeverRunBackwards) {
  join.set_complete(true);
  entry(0, 1, 10, 1000);  // sleeps in the kernel
  for (u64 i = 0; i < 50; ++i) {
    entry(0, 2, 100 + 2 * i, 2000 + i * 100);
    handled(0, 2, 100 + 2 * i, 2050 + i * 100);
  }
  EXPECT_TRUE(keeper.records.empty());
  handled(0, 1, 10, 900000, true);
  close();
  ASSERT_EQ(keeper.faults(), 51U);
  for (size_t i = 1; i < keeper.records.size(); ++i)
    EXPECT_LE(keeper.records[i - 1].time, keeper.records[i].time);
  EXPECT_EQ(keeper.records[0].costs[0], 899000U);
}

TEST_F(FaultJoinTest, AFaultStuckInTheKernelDoesNotHoldUpMoreThanTheQueue) {
  entry(0, 1, 10, 1000);
  for (u64 i = 0; i < 3 * FaultJoin::kWaiting; ++i) {
    entry(0, 2, 100 + i, 2000 + i * 100);
    handled(0, 2, 100 + i, 2050 + i * 100);
  }
  handled(0, 1, 10, 10000000);
  close();
  EXPECT_EQ(join.faults(), 3U * FaultJoin::kWaiting + 1);
  EXPECT_EQ(keeper.records[0].costs[0], kNotTimed32);
}

TEST_F(FaultJoinTest, ManyThreadsInTheKernelAtOnce) {
  join.set_complete(true);
  for (u32 tid = 1; tid <= 100; ++tid) entry(0, tid, tid * 10, tid * 1000);
  for (u32 tid = 1; tid <= 100; ++tid) handled(0, tid, tid * 10, 1000000 + tid);
  close();
  EXPECT_EQ(join.faults(), 100U);
  EXPECT_EQ(join.timed(), u64{FaultJoin::kOpen});
}

TEST_F(FaultJoinTest, AThreadSeenByTwoEventsCountsOnce) {
  join.set_complete(true);
  for (int twice = 0; twice < 2; ++twice) join.entry(0, {1, 0xA, 0x10000, 1000});
  for (int twice = 0; twice < 2; ++twice) join.handled(0, 1, 0x10000, 1900, false);
  for (int twice = 0; twice < 2; ++twice) join.entry(0, {1, 0xA, 0x10000, 9000});
  for (int twice = 0; twice < 2; ++twice) join.handled(0, 1, 0x10000, 9900, false);
  close();
  EXPECT_EQ(join.faults(), 2U);
  EXPECT_EQ(join.failed(), 0U);
  EXPECT_EQ(join.raw_ns(), 1800U);
}

TEST_F(FaultJoinTest, ALoadAndTheStoreAfterItAreTwoFaults) {
  entry(0, 7, 1, 1000, 0x400000);
  entry(0, 7, 1, 1900, 0x400004);
  close();
  EXPECT_EQ(join.faults(), 2U);
}

TEST_F(FaultJoinTest, UntimedFaultsWaitForNothing) {
  entry(0, 7, 1, 1000);
  join.end_of_pass(true);
  EXPECT_EQ(join.faults(), 1U);
}

TEST_F(FaultJoinTest, LongRunsAreCut) {
  for (u64 i = 0; i < RunBuilder::kLongest + 10; ++i) {
    entry(1, 7, 1000 + i, 5000 + i * 300);
    handled(1, 7, 1000 + i, 5000 + i * 300 + 200);
  }
  close();
  ASSERT_EQ(keeper.records.size(), 2U);
  EXPECT_EQ(keeper.records[1].costs.size(), 10U);
  EXPECT_EQ(keeper.records[1].cpu, 1U);
}

TEST_F(FaultJoinTest, AtTheEndOneInTheKernelHoldsUpNothing) {
  join.set_complete(true);
  entry(0, 7, 1000, 5000);  // failed, and its thread never faults again
  entry(0, 8, 2000, 6000);
  handled(0, 8, 2000, 6300);
  join.end_of_pass();
  join.end_of_pass();
  EXPECT_EQ(keeper.faults(), 0U);
  join.leave_open(0);
  ASSERT_EQ(keeper.faults(), 1U);
  EXPECT_EQ(keeper.records[0].tid, 8U);
  EXPECT_EQ(join.failed(), 1U);
}

}  // namespace
}  // namespace ftprof
