#include <gtest/gtest.h>

#include <cmath>

#include "preload/sampling.h"
#include "preload/state.h"

namespace ftprof {
namespace {

constexpr uint64_t kMillisecond = 1000000;

TEST(Sampling, ExpAndLogAreGoodEnough) {
  for (double x : {0.0, 1e-9, 0.001, 0.03, 0.5, 1.0, 7.3, 100.0})
    EXPECT_NEAR(exp_minus(x), std::exp(-x), 1e-8) << x;
  EXPECT_EQ(exp_minus(1000), 0);
  for (double u : {1.0, 0.999999, 0.75, 0.5, 0.1, 1e-9, 0x1p-53})
    EXPECT_NEAR(minus_log(u), -std::log(u), 1e-8 * (1 - std::log(u))) << u;
}

TEST(SamplingControl, RecordsEverythingWithinTheCredit) {
  SamplingControl control;
  control.configure(0.03, 20 * kMillisecond, 0);
  // 3 us of work for every 100 us of the program: 3 %.
  for (uint64_t i = 1; i <= 100000; ++i) control.feed(i * 103000, 3000, 1 << 20, 1);
  EXPECT_EQ(control.mean(), 0);
}

// Quiet for a minute, then in earnest: the bucket does not hold what it held at first.
TEST(SamplingControl, TheCreditIsGivenOnce) {
  auto records_until_sampled = [](SamplingControl& control, uint64_t now) {
    uint64_t records = 0;
    while (control.mean() == 0) control.feed(now += 50000, 5000, 1 << 20, 1), ++records;
    return records;
  };
  SamplingControl control;
  control.configure(0.03, 20 * kMillisecond, 0);
  uint64_t at_first = records_until_sampled(control, 0);
  EXPECT_GT(at_first, 20 * kMillisecond / 5000);
  for (int i = 0; i < 100; ++i) control.relax((1 + i) * 1000 * kMillisecond);
  uint64_t later = records_until_sampled(control, 100000 * kMillisecond);
  EXPECT_LT(later, at_first / 2);
}

// All is allocated first and freed later, within the credit.
TEST(SamplingControl, GiveBacksArePaidForAtTheHandOut) {
  SamplingControl control;
  control.configure(0.03, 20 * kMillisecond, 0);
  uint64_t now = 0, records = 0;
  for (; control.mean() == 0; ++records)
    control.feed(now += 50000, 5000, 1 << 20, 1, Charge::hand_out);
  EXPECT_LT(records * 3 * 5000, 30 * kMillisecond);
  SamplingControl other;
  other.configure(0.03, 20 * kMillisecond, 0);
  for (uint64_t i = 0; i < records; ++i)
    other.feed(now += 50000, 10000, 1 << 20, 1, Charge::give_back);
  EXPECT_EQ(other.mean(), 0);
}

TEST(SamplingControl, SamplesAProgramThatOnlyAllocates) {
  SamplingControl control;
  control.configure(0.03, 20 * kMillisecond, 0);
  // 12 ns of program between two records of 5 us: more than half of the time, credit or not.
  uint64_t now = 0, records = 0;
  while (control.mean() == 0 && records < 100000)
    control.feed(now += 5012, 5000, 1 << 20, 1), ++records;
  EXPECT_LT(records, 1000u);
  // One record in M bytes then costs the budget: M / 1 MiB blocks of 12 ns for each 5 us.
  double blocks_per_record = control.mean() / (1 << 20);
  double share = 5000 / (5000 + blocks_per_record * 12);
  EXPECT_NEAR(share, 0.03, 0.005);
}

TEST(SamplingControl, ComesBackWhenTheProgramCalmsDown) {
  SamplingControl control;
  control.configure(0.03, 20 * kMillisecond, 0);
  uint64_t now = 0;
  for (int i = 0; i < 5000; ++i) control.feed(now += 5012, 5000, 1 << 20, 1);
  ASSERT_GT(control.mean(), 0);
  for (int i = 0; i < 100 && control.mean() > 0; ++i) control.relax(now += 100 * kMillisecond);
  EXPECT_EQ(control.mean(), 0);
}

TEST(SamplingControl, ThinsOutBeforeTheTraceIsFull) {
  constexpr uint64_t kMost = 4ull << 30;
  EXPECT_EQ(least_mean(kMost, 0), 0);
  EXPECT_EQ(least_mean(kMost / 2 - 1, kMost), 0);
  double before = 0;
  for (double share : {0.55, 0.65, 0.75, 0.85, 0.95}) {
    double mean = least_mean(static_cast<uint64_t>(share * kMost), kMost);
    EXPECT_GT(mean, before);
    before = mean;
  }
  SamplingControl control;
  control.configure(1, 20 * kMillisecond, 0);
  EXPECT_TRUE(control.at_least(1 << 20));
  EXPECT_EQ(control.mean(), 1 << 20);
  for (uint64_t i = 1; i <= 100; ++i) control.feed(i * 100 * kMillisecond, 3000, 1 << 20, 1);
  EXPECT_EQ(control.mean(), 1 << 20);
}

// Totals estimated from the samples are right on average, for small and for large blocks.
TEST(Sampling, IsUnbiased) {
  g_state.settings.overhead_budget = 0.03;
  g_state.credit_ns = 0;
  configure_sampling(0);
  for (uint64_t i = 1; i <= 2000; ++i) account_record(i * 5012, 5000, 1 << 20, 1, Charge::other);
  t_thread.random = 12345;
  for (uint64_t bytes : {uint64_t{128} << 10, uint64_t{8} << 20, uint64_t{4} << 30}) {
    double blocks = 0, squares = 0, weight = 1;
    constexpr int kBlocks = 400000;
    for (int i = 0; i < kBlocks; ++i)
      if (sample_block(bytes, &weight)) blocks += weight, squares += weight * (weight - 1);
    EXPECT_NEAR(blocks, kBlocks, 4 * std::sqrt(squares) + 1) << bytes;
  }
}

TEST(Sampling, PassesByWithoutASecondThought) {
  ThreadState thread{};
  thread.countdown = 1000;
  thread.sampling_epoch = g_sampling_epoch.load();
  EXPECT_TRUE(pass_by(&thread, 600));
  EXPECT_FALSE(pass_by(&thread, 600));
  EXPECT_EQ(thread.countdown, 400);
  ++thread.sampling_epoch;
  EXPECT_FALSE(pass_by(&thread, 1));
}

}  // namespace
}  // namespace ftprof
