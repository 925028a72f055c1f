// The ring's policy. Addresses are made up: the ring never touches a block's memory.
#include <gtest/gtest.h>

#include <memory>

#include "preload/libmalloc/ring.h"
#include "preload/libmalloc/settings.h"

namespace ftprof::libmalloc {
namespace {

constexpr size_t kPage = 4096, kMiB = 1 << 20, kGiB = 1 << 30;

class RingTest : public testing::Test {
 protected:
  RingTest() { limit({.entries = 64, .entry_bytes = SIZE_MAX, .hoard_bytes = SIZE_MAX}); }

  void limit(const RingLimits& limits) {
    Held held(lock_);
    ring_->set_limits(held, limits);
  }
  // Files a block of so many pages at `address`, a number of MiB. Returns the evicted address.
  uintptr_t put(uintptr_t address, size_t pages, bool marked = false) {
    Held held(lock_);
    return ring_->put(held, {address * kMiB, pages * kPage}, marked).address / kMiB;
  }
  uintptr_t take(size_t pages, size_t alignment = 1) {
    Held held(lock_);
    return ring_->take(held, pages * kPage, alignment).address / kMiB;
  }
  uintptr_t take_oldest() {
    Held held(lock_);
    return ring_->take_oldest(held).address / kMiB;
  }
  Ring::Verdict judge(size_t bytes) {
    Held held(lock_);
    return ring_->judge(held, bytes);
  }
  size_t bytes() {
    Held held(lock_);
    return ring_->bytes(held);
  }
  size_t unmarked_bytes() {
    Held held(lock_);
    return ring_->unmarked_bytes(held);
  }

  Lock lock_;
  std::unique_ptr<Ring> ring_ = std::make_unique<Ring>();
};

TEST_F(RingTest, EmptyRingHasNothing) {
  EXPECT_EQ(take(32), 0u);
  EXPECT_EQ(take_oldest(), 0u);
}

TEST_F(RingTest, ExactFitBeatsASmallerWasteThatIsNewer) {
  put(1, 40);
  put(2, 41);
  EXPECT_EQ(take(40), 1u);
}

TEST_F(RingTest, NewestOfSeveralExactFits) {
  put(1, 40);
  put(2, 40);
  put(3, 40);
  EXPECT_EQ(take(40), 3u);
  EXPECT_EQ(take(40), 2u);
  EXPECT_EQ(take(40), 1u);
  EXPECT_EQ(take(40), 0u);
}

TEST_F(RingTest, BestFitIsTheSmallestThatIsLargeEnough) {
  put(1, 60);
  put(2, 50);
  put(3, 70);
  put(4, 39);
  EXPECT_EQ(take(40), 2u);
  EXPECT_EQ(take(40), 1u);
}

TEST_F(RingTest, NewestOfEqualBestFits) {
  put(1, 50);
  put(2, 50);
  EXPECT_EQ(take(40), 2u);
}

TEST_F(RingTest, AFitWastesLessThanHalfOfTheBlock) {
  put(1, 80);
  EXPECT_EQ(take(40), 0u);
  put(2, 79);
  EXPECT_EQ(take(40), 2u);
}

TEST_F(RingTest, TheWasteRuleHoldsForEverySize) {
  for (size_t wanted = 32; wanted < 300; wanted += 7) {
    for (size_t there = wanted; there < 2 * wanted + 3; ++there) {
      put(1, there);
      EXPECT_EQ(take(wanted), there < 2 * wanted ? 1u : 0u) << wanted << " from " << there;
      take_oldest();
    }
  }
}

TEST_F(RingTest, ALargerBestFitIsFoundAcrossSizeClasses) {
  put(1, 1000);
  put(2, 999);
  EXPECT_EQ(take(501), 2u);
  EXPECT_EQ(take(501), 1u);
}

TEST_F(RingTest, AlignmentRulesOutTheRest) {
  put(2, 40);
  put(3, 40);
  EXPECT_EQ(take(40, 2 * kMiB), 2u);
  EXPECT_EQ(take(40, 2 * kMiB), 0u);
}

TEST_F(RingTest, FullRingEvictsTheOldest) {
  limit({.entries = 3, .entry_bytes = SIZE_MAX, .hoard_bytes = SIZE_MAX});
  EXPECT_EQ(put(1, 40), 0u);
  EXPECT_EQ(put(2, 41), 0u);
  EXPECT_EQ(put(3, 42), 0u);
  EXPECT_EQ(put(4, 43), 1u);
  EXPECT_EQ(put(5, 44), 2u);
  EXPECT_EQ(take_oldest(), 3u);
}

TEST_F(RingTest, TakingFromTheMiddleKeepsTheOrderOfAge) {
  put(1, 40);
  put(2, 400);
  put(3, 40);
  EXPECT_EQ(take(400), 2u);
  EXPECT_EQ(take_oldest(), 1u);
  EXPECT_EQ(take_oldest(), 3u);
}

TEST_F(RingTest, TheMostEntriesFitAndAreReused) {
  limit({.entries = Ring::kMostEntries, .entry_bytes = SIZE_MAX, .hoard_bytes = SIZE_MAX});
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 1; i <= Ring::kMostEntries; ++i) EXPECT_EQ(put(i, 32 + i), 0u);
    EXPECT_EQ(put(Ring::kMostEntries + 1, 50), 1u);
    for (size_t i = 0; i < Ring::kMostEntries; ++i) EXPECT_NE(take_oldest(), 0u);
    EXPECT_EQ(bytes(), 0u);
  }
}

TEST_F(RingTest, BlocksAboveTheEntryLimitAreNotKept) {
  limit({.entries = 16, .entry_bytes = 128 * kMiB, .hoard_bytes = SIZE_MAX});
  EXPECT_EQ(judge(128 * kMiB), Ring::Verdict::keep);
  EXPECT_EQ(judge(128 * kMiB + kPage), Ring::Verdict::unmap);
}

TEST_F(RingTest, NoEntriesKeepsNothing) {
  limit({.entries = 0, .entry_bytes = SIZE_MAX, .hoard_bytes = SIZE_MAX});
  EXPECT_EQ(judge(kMiB), Ring::Verdict::unmap);
}

TEST_F(RingTest, WhatWouldHoardTooMuchIsMarked) {
  limit({.entries = 16, .entry_bytes = SIZE_MAX, .hoard_bytes = 100 * kPage});
  EXPECT_EQ(judge(100 * kPage), Ring::Verdict::keep);
  EXPECT_EQ(judge(101 * kPage), Ring::Verdict::mark_and_keep);
  put(1, 60);
  EXPECT_EQ(judge(40 * kPage), Ring::Verdict::keep);
  EXPECT_EQ(judge(41 * kPage), Ring::Verdict::mark_and_keep);
}

TEST_F(RingTest, MarkedBlocksAreNoHoard) {
  limit({.entries = 16, .entry_bytes = SIZE_MAX, .hoard_bytes = 100 * kPage});
  put(1, 500, true);
  put(2, 100);
  EXPECT_EQ(unmarked_bytes(), 100 * kPage);
  EXPECT_EQ(bytes(), 600 * kPage);
  EXPECT_EQ(take(500), 1u);
  EXPECT_EQ(unmarked_bytes(), 100 * kPage);
  EXPECT_EQ(take(100), 2u);
  EXPECT_EQ(unmarked_bytes(), 0u);
}

TEST(RingDefaults, ClassicFollowsTheMachine) {
  Settings small = default_settings(PolicyKind::classic, 32 * kGiB - 1);
  EXPECT_EQ(small.ring.entries, 16u);
  EXPECT_EQ(small.ring.entry_bytes, 128 * kMiB);
  EXPECT_EQ(small.ring.hoard_bytes, (32 * kGiB - 1) / 1024);
  Settings large = default_settings(PolicyKind::classic, 32 * kGiB);
  EXPECT_EQ(large.ring.entries, 64u);
  EXPECT_EQ(large.ring.entry_bytes, 512 * kMiB);
  EXPECT_EQ(large.reserve, 0u);
}

TEST(RingDefaults, DeferredHasNoLimitPerEntry) {
  Settings settings = default_settings(PolicyKind::deferred, 16 * kGiB);
  EXPECT_EQ(settings.ring.entry_bytes, SIZE_MAX);
  EXPECT_EQ(settings.ring.entries, 1024u);
  EXPECT_EQ(settings.reserve, kGiB);
}

}  // namespace
}  // namespace ftprof::libmalloc
