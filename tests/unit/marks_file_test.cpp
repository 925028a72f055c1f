#include "analyzer/marks_file.h"

#include <gtest/gtest.h>

namespace ftprof {
namespace {

TEST(MarksFile, ReadsTimesAndNames) {
  auto marks = parse_marks("12 ready\n34 two words\n56 last without its end");
  ASSERT_EQ(marks.size(), 3u);
  EXPECT_EQ(marks[0].monotonic_ns, 12u);
  EXPECT_EQ(marks[1].name, "two words");
  EXPECT_EQ(marks[2].name, "last without its end");
}

TEST(MarksFile, PassesOverWhatIsNoMark) {
  for (const char* text : {"", "\n\n", "x", "12", "12 ", "x ready", " 12 ready", "-1 ready",
                           "99999999999999999999999 ready"})
    EXPECT_TRUE(parse_marks(text).empty()) << text;
}

TEST(MarksFile, AFolderWithoutMarksHasNone) {
  EXPECT_TRUE(read_marks("/nonexistent").empty());
}

}  // namespace
}  // namespace ftprof
