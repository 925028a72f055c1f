#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "preload/ranges.h"

namespace ftprof {
namespace {

class Ranges : public testing::Test {
 protected:
  void add(uintptr_t begin, uintptr_t end, uint32_t stack = 1) {
    ASSERT_TRUE(set_.add({begin, end, stack, 0, 1}));
  }
  // "begin-end" of every range, in order.
  std::vector<std::pair<uintptr_t, uintptr_t>> all() {
    std::vector<std::pair<uintptr_t, uintptr_t>> found;
    TrackedRange ranges[3];
    while (size_t count = set_.copy(found.size(), ranges, 3))
      for (size_t i = 0; i < count; ++i) found.emplace_back(ranges[i].begin, ranges[i].end);
    return found;
  }
  using Pairs = std::vector<std::pair<uintptr_t, uintptr_t>>;

  RangeSet set_{[](size_t bytes) { return calloc(1, bytes); }};
  TrackedRange cut_[8];
};

TEST_F(Ranges, TellsHowASpanMeetsThem) {
  add(100, 200);
  add(300, 400);
  TrackedRange whole;
  EXPECT_EQ(set_.look(0, 100, &whole), Overlap::none);
  EXPECT_EQ(set_.look(200, 300, &whole), Overlap::none);
  EXPECT_EQ(set_.look(300, 400, &whole), Overlap::exact);
  EXPECT_EQ(whole.begin, 300u);
  EXPECT_EQ(set_.look(150, 160, &whole), Overlap::part);
  EXPECT_EQ(set_.look(100, 201, &whole), Overlap::part);
  EXPECT_EQ(set_.look(0, 1000, &whole), Overlap::part);
}

TEST_F(Ranges, AHoleSplits) {
  add(100, 200, 7);
  ASSERT_EQ(set_.cut(140, 160, cut_, 8), 1u);
  EXPECT_EQ(all(), (Pairs{{100, 140}, {160, 200}}));
  EXPECT_EQ(cut_[0].begin, 140u);
  EXPECT_EQ(cut_[0].end, 160u);
  EXPECT_EQ(cut_[0].stack, 7u);
}

TEST_F(Ranges, EndsShrink) {
  add(100, 200);
  set_.cut(50, 120, cut_, 8);
  set_.cut(180, 300, cut_, 8);
  EXPECT_EQ(all(), (Pairs{{120, 180}}));
}

TEST_F(Ranges, ACutSpansSeveral) {
  add(300, 400);
  add(100, 200);
  add(500, 600);
  EXPECT_EQ(set_.cut(150, 550, cut_, 8), 3u);
  EXPECT_EQ(all(), (Pairs{{100, 150}, {550, 600}}));
  EXPECT_EQ(cut_[1].begin, 300u);
}

TEST_F(Ranges, ACutOfNothingChangesNothing) {
  add(100, 200);
  EXPECT_EQ(set_.cut(200, 300, cut_, 8), 0u);
  EXPECT_EQ(all(), (Pairs{{100, 200}}));
}

TEST_F(Ranges, KeepsManyInOrder) {
  Pairs expected;
  for (uintptr_t i = 0; i < 3000; ++i) {
    uintptr_t begin = (i * 7919 % 3000) * 100;
    add(begin, begin + 50);
  }
  for (uintptr_t i = 0; i < 3000; ++i) expected.emplace_back(i * 100, i * 100 + 50);
  EXPECT_EQ(all(), expected);
}

TEST(RangesWithoutMemory, RefuseAndGoOn) {
  RangeSet set([](size_t) -> void* { return nullptr; });
  TrackedRange whole;
  EXPECT_FALSE(set.add({100, 200, 1, 0, 1}));
  EXPECT_EQ(set.look(100, 200, &whole), Overlap::none);
}

}  // namespace
}  // namespace ftprof
