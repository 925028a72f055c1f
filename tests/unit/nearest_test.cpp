#include "analyzer/nearest.h"

#include <gtest/gtest.h>

namespace ftprof {
namespace {

const std::vector<std::string> kKeys = {"blocks.min_size", "faults.source", "faults.period", "run"};

TEST(Nearest, CountsASwapAsOneEdit) {
  EXPECT_EQ(edit_distance("report", "report"), 0u);
  EXPECT_EQ(edit_distance("reprot", "report"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Nearest, FindsASlip) {
  EXPECT_EQ(nearest("faults.sorce", kKeys), "faults.source");
  EXPECT_EQ(nearest("block.minsize", kKeys), "blocks.min_size");
  EXPECT_EQ(nearest("faults.per", kKeys), "faults.period");
  EXPECT_EQ(did_you_mean("rnu", kKeys), "; did you mean run?");
}

TEST(Nearest, HasNoAnswerForAnotherWord) {
  EXPECT_EQ(nearest("colour", kKeys), "");
  EXPECT_EQ(nearest("", kKeys), "");
  EXPECT_EQ(nearest(std::string(1000000, 'x'), kKeys), "");
  EXPECT_EQ(did_you_mean("colour", kKeys), "");
}

}  // namespace
}  // namespace ftprof
