#include <gtest/gtest.h>

#include <cmath>

#include "tests/workload/output.h"
#include "tests/workload/statistics.h"

namespace ftprof::workload {
namespace {

using Values = std::vector<double>;

TEST(Statistics, NothingIsZero) {
  EXPECT_EQ(minimum(Values{}), 0);
  EXPECT_EQ(maximum(Values{}), 0);
  EXPECT_EQ(mean(Values{}), 0);
  EXPECT_EQ(median(Values{}), 0);
  EXPECT_EQ(variation(Values{}), 0);
  EXPECT_EQ(quantile({}, 0.5), 0u);
}

TEST(Statistics, MinimumAndMaximum) {
  EXPECT_EQ(minimum(Values{3, 1, 2}), 1);
  EXPECT_EQ(maximum(Values{3, 1, 2}), 3);
}

TEST(Statistics, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median(Values{9, 1, 5}), 5);
  EXPECT_EQ(median(Values{9, 1, 5, 7}), 6);
}

TEST(Statistics, VariationIsTheSampleDeviationOverTheMean) {
  EXPECT_EQ(variation(Values{5}), 0);
  EXPECT_EQ(variation(Values{5, 5, 5}), 0);
  EXPECT_DOUBLE_EQ(variation(Values{2, 4, 4, 4, 5, 5, 7, 9}), std::sqrt(32.0 / 7) / 5);
}

TEST(Statistics, QuantileIsTheNearestRank) {
  std::vector<uint32_t> values{50, 20, 40, 10, 30};
  EXPECT_EQ(quantile(values, 0), 10u);
  EXPECT_EQ(quantile(values, 0.5), 30u);
  EXPECT_EQ(quantile(values, 0.9), 50u);
  EXPECT_EQ(quantile(values, 1), 50u);
}

TEST(Statistics, RunsAreContiguousValuesAboveTheLimit) {
  Runs runs = runs_above(std::vector<uint32_t>{300, 1, 201, 202, 203, 200, 500}, 200);
  EXPECT_EQ(runs.values, 5u);
  EXPECT_EQ(runs.runs, 3u);
  EXPECT_EQ(runs.longest, 3u);
}

TEST(Statistics, NoRunsBelowTheLimit) {
  Runs runs = runs_above(std::vector<uint32_t>{1, 2, 3}, 200);
  EXPECT_EQ(runs.values + runs.runs + runs.longest, 0u);
}

TEST(Output, NumbersAreGroupedByThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(65536), "65,536");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

TEST(Output, TableAlignsItsColumns) {
  Table table({"name", "n"});
  table.add({"a", "10"});
  table.add({"long name", ""});
  EXPECT_EQ(table.text(), "name        n\na          10\nlong name\n");
}

TEST(Output, AFailedCheckIsStatusOne) {
  Checks checks;
  checks.equal(1, 1, "one");
  EXPECT_EQ(checks.status(), 0);
  testing::internal::CaptureStderr();
  checks.equal(1, 2, "the sum");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "check failed: the sum is 1, must be 2\n");
  EXPECT_EQ(checks.status(), 1);
}

}  // namespace
}  // namespace ftprof::workload
