#include <gtest/gtest.h>

#include <memory>

#include "preload/filter.h"

namespace ftprof {
namespace {

TEST(Filter, KnowsPagesThatHoldABlock) {
  auto filter = std::make_unique<Filter>();
  EXPECT_FALSE(filter->may_hold(0x7f0000001010));
  filter->add(0x7f0000001010);
  EXPECT_TRUE(filter->may_hold(0x7f0000001010));
  EXPECT_TRUE(filter->may_hold(0x7f0000001ff0));   // the same page: the table decides
  EXPECT_FALSE(filter->may_hold(0x7f0000002010));  // the next page
  filter->remove(0x7f0000001010);
  EXPECT_FALSE(filter->may_hold(0x7f0000001010));
}

TEST(Filter, CountsBlocksThatShareAnEntry) {
  auto filter = std::make_unique<Filter>();
  uintptr_t first = 0x1000, second = first + (kFilterEntries << kFilterShift);
  filter->add(first);
  filter->add(second);
  filter->remove(first);
  EXPECT_TRUE(filter->may_hold(second));
  filter->remove(second);
  EXPECT_FALSE(filter->may_hold(second));
}

// A counter that lost count must never say no.
TEST(Filter, StaysWhenItsCounterIsFull) {
  auto filter = std::make_unique<Filter>();
  for (int i = 0; i < 300; ++i) filter->add(0x1000);
  for (int i = 0; i < 299; ++i) filter->remove(0x1000);
  EXPECT_TRUE(filter->may_hold(0x1000));
}

}  // namespace
}  // namespace ftprof
