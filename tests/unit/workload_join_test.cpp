#include <gtest/gtest.h>

#include "tests/workload/pagebench.h"

namespace ftprof::workload {
namespace {

TEST(Pagebench, ARowIsReadAsItIsWritten) {
  BenchRow row;
  ASSERT_TRUE(parse_row(row_text({"alloc_free_pair", 4096, 12.345, 0}), row));
  EXPECT_EQ(row.benchmark, "alloc_free_pair");
  EXPECT_EQ(row.bytes, 4096u);
  EXPECT_DOUBLE_EQ(row.ns_per_op, 12.35);
  EXPECT_TRUE(parse_row(row_text({"alloc_memset_free", 1048576, 1e9, 3.5}), row));
}

TEST(Pagebench, OtherLinesAreNoRows) {
  BenchRow row;
  for (const char* line : {"", "allocator glibc 2.36", "resident set 5.6 MiB", "a/16 x ns/op",
                           "a/ 1 ns/op", "/16 1 ns/op", "a/b 1 ns/op", "a/16 1", "a/16 0 ns/op",
                           "a/16 nan ns/op", "a/99999999999999999999 1 ns/op"})
    EXPECT_FALSE(parse_row(line, row)) << line;
}

TEST(Pagebench, JoinKeepsWhatBothHaveSortedBySize) {
  auto rows = join({{"b", 16, 3, 0}, {"a", 1024, 2, 0}, {"a", 16, 1, 0}, {"c", 16, 1, 0}},
                   {{"a", 16, 2, 0}, {"a", 1024, 1, 0}, {"b", 16, 3, 0}, {"d", 16, 1, 0}});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].benchmark + std::to_string(rows[0].bytes), "a16");
  EXPECT_EQ(rows[1].benchmark + std::to_string(rows[1].bytes), "a1024");
  EXPECT_EQ(rows[2].benchmark + std::to_string(rows[2].bytes), "b16");
  EXPECT_DOUBLE_EQ(rows[0].change(), -0.5);
  EXPECT_DOUBLE_EQ(rows[1].change(), 1);
  EXPECT_DOUBLE_EQ(rows[2].change(), 0);
}

}  // namespace
}  // namespace ftprof::workload
