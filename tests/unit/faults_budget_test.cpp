// The bucket that faults.period=auto draws from, in simulated time.
#include <gtest/gtest.h>

#include "preload/fault_budget.h"

namespace ftprof {
namespace {

constexpr double kBurst = 1e6;

TEST(FaultBudget, TheCreditIsSpentOnceAndThenTheShareHolds) {
  FaultBudget budget(0.03, 5000000, 1);
  double spent = 0;
  bool open = true;
  uint64_t bursts = 0;
  constexpr uint64_t kStep = 1000000;  // 1 ms of the program, all of it faults at +100 %
  for (int i = 0; i < 10000; ++i) {
    budget.earn(kStep);
    if (!open && budget.affords(kBurst)) {
      open = true, ++bursts;
      budget.begin_burst();
    }
    if (!open) continue;
    budget.spend(1e6), spent += 1e6;
    open = !budget.exhausted();
  }
  EXPECT_GT(bursts, 100U);
  EXPECT_NEAR(spent, 5e6 + 0.03 * 10000e6, 3e6);
}

TEST(FaultBudget, TheCreditIsSpreadOverTheFirstMomentsOfATorrent) {
  FaultBudget budget(0, 4000000, 1);
  bool open = true;
  int bursts = 1, spent = 0;
  for (int ms = 0; ms < 200; ++ms) {
    budget.earn(1000000);
    if (!open && budget.affords(kBurst / 4)) {
      open = true, ++bursts;
      budget.begin_burst();
    }
    if (!open) continue;
    budget.spend(500000), ++spent;
    open = !budget.exhausted();
  }
  EXPECT_GE(bursts, 3);
  EXPECT_LE(spent, 10);
}

TEST(FaultBudget, AProgramThatFaultsLittleIsNeverClosed) {
  FaultBudget budget(0.03, 5000000, 1);
  for (int i = 0; i < 1000; ++i) {
    budget.earn(1000000);
    budget.spend(20000);  // 2 %
    EXPECT_FALSE(budget.exhausted());
  }
}

TEST(FaultBudget, IdleTimeDoesNotPileUp) {
  FaultBudget budget(0.03, 5000000, 1);
  budget.earn(3600ULL * 1000000000);
  budget.spend(5000001);
  EXPECT_TRUE(budget.exhausted());
}

TEST(FaultBudget, BurstsAreJittered) {
  FaultBudget budget(0.03, 5000000, 42);
  budget.spend(5000000);
  uint64_t least = ~0ULL, most = 0;
  for (int i = 0; i < 100; ++i) {
    budget.begin_burst();
    uint64_t wait = budget.wait_ns(kBurst);
    least = wait < least ? wait : least;
    most = wait > most ? wait : most;
  }
  EXPECT_LT(least, 0.6 * kBurst / 0.03);
  EXPECT_GT(most, 1.4 * kBurst / 0.03);
}

TEST(FaultBudget, ABurstThatCostsMoreThanTheBucketHoldsStillComesAndIsPaidOff) {
  FaultBudget budget(0.03, 100000, 1);
  budget.spend(100000);
  budget.earn(1000000000);
  EXPECT_TRUE(budget.affords(kBurst));
  budget.spend(kBurst);
  EXPECT_GE(static_cast<double>(budget.wait_ns(kBurst)) * 0.03, kBurst - 100000);
}

TEST(FaultBudget, ABudgetOfNothingNeverAffords) {
  FaultBudget budget(0, 1000, 1);
  budget.spend(1000);
  budget.earn(1000000000);
  EXPECT_TRUE(budget.exhausted());
  EXPECT_FALSE(budget.affords(kBurst));
}

}  // namespace
}  // namespace ftprof
