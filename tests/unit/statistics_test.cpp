#include "analyzer/statistics.h"

#include <gtest/gtest.h>

namespace ftprof {
namespace {

TEST(Statistics, MedianOfOddAndEven) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({}), 0);
}

// From tables of the exact distribution.
TEST(Statistics, MannWhitneyIsExact) {
  EXPECT_NEAR(mann_whitney({1, 2, 3, 4}, {5, 6, 7, 8}), 2.0 / 70, 1e-12);
  EXPECT_NEAR(mann_whitney({1, 2, 3, 5}, {4, 6, 7, 8}), 4.0 / 70, 1e-12);
  EXPECT_NEAR(mann_whitney({1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}), 2.0 / 252, 1e-12);
  EXPECT_NEAR(mann_whitney({1, 4, 5, 8}, {2, 3, 6, 7}), 1, 1e-12);
}

TEST(Statistics, MannWhitneyTakesTies) {
  EXPECT_EQ(mann_whitney({5, 5, 5, 5}, {5, 5, 5, 5}), 1);
  EXPECT_NEAR(mann_whitney({1, 1, 1, 1}, {2, 2, 2, 2}), 2.0 / 70, 1e-12);
}

TEST(Statistics, FewValuesAreJudgedByTheirRanges) {
  EXPECT_EQ(compare_samples({1}, {100}), Noise::unknown);
  EXPECT_EQ(compare_samples({1, 2}, {3, 4}), Noise::beyond);
  EXPECT_EQ(compare_samples({1, 3}, {2, 4}), Noise::within);
  EXPECT_EQ(compare_samples({5, 5, 5}, {5, 5, 5}), Noise::within);
}

TEST(Statistics, FourOrMoreAreTested) {
  EXPECT_EQ(compare_samples({1, 2, 3, 4}, {5, 6, 7, 8}), Noise::beyond);
  EXPECT_EQ(compare_samples({1, 2, 3, 5}, {4, 6, 7, 8}), Noise::within);
  std::vector<double> many(100, 1), others(100, 2);
  EXPECT_EQ(compare_samples(many, others), Noise::beyond);
}

}  // namespace
}  // namespace ftprof
