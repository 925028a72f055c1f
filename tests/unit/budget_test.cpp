#include "analyzer/budget.h"

#include <gtest/gtest.h>

#include "analyzer/bad_input.h"

namespace ftprof {
namespace {

std::string refusal(const std::string& toml) {
  try {
    parse_budget(toml, "ci.toml");
  } catch (const BadInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Budget, EveryKeyOfTheContractIsRead) {
  Budget budget = parse_budget(R"(
[run]
max_faults = 70000
max_fault_time = "60ms"
min_accounted = "98%"
[warmup]
until = "mark:ready"
max_faults = 66000
[steady]
max_faults_per_second = 10
[[site]]
match = "load_model"
max_faults = 65600
min_warm = "90%"
[baseline]
tolerance = "5%"
)",
                               "ci.toml");
  EXPECT_EQ(budget.run.max_faults, 70000);
  EXPECT_EQ(budget.run.max_fault_time_ns, 60e6);
  EXPECT_DOUBLE_EQ(*budget.run.min_accounted, 0.98);
  EXPECT_EQ(budget.warmup.until, "mark:ready");
  EXPECT_EQ(budget.warmup.max_faults, 66000);
  EXPECT_EQ(budget.steady.max_faults_per_second, 10);
  ASSERT_EQ(budget.sites.size(), 1u);
  EXPECT_EQ(budget.sites[0].match, "load_model");
  EXPECT_DOUBLE_EQ(*budget.sites[0].min_warm, 0.9);
  EXPECT_DOUBLE_EQ(budget.baseline.share, 0.05);
  EXPECT_FALSE(budget.run.max_major_faults);
}

TEST(Budget, TheFileThatUsersStartFromIsGood) {
  EXPECT_EQ(load_budget(SOURCE_ROOT "/configs/ci.toml").run.max_faults, 70000);
}

TEST(Budget, UnknownKeysAreRefusedWithLineAndNearest) {
  EXPECT_EQ(refusal("[run]\nmax_fault = 1"),
            "ci.toml:2: [run] has no key max_fault; did you mean max_faults?");
  EXPECT_EQ(refusal("\n[warmpu]\nmax_faults = 1"),
            "ci.toml:2: unknown table or key warmpu; did you mean warmup?");
  EXPECT_NE(refusal("[faults]\nperoid = 1").find("ci.toml:2"), std::string::npos);
  EXPECT_NE(refusal("[[site]]\nmatch = \"a\"\nmin_wram = \"1%\"").find("min_warm"),
            std::string::npos);
}

TEST(Budget, BadValuesAreRefusedWithLine) {
  EXPECT_EQ(refusal("[run]\nmax_faults = \"many\""),
            "ci.toml:2: max_faults needs a count, as in 70000");
  EXPECT_NE(refusal("[run]\nmax_faults = -1").find("ci.toml:2"), std::string::npos);
  EXPECT_NE(refusal("[run]\nmax_fault_time = 60").find("a time"), std::string::npos);
  EXPECT_NE(refusal("[run]\nmin_accounted = 98").find("a share"), std::string::npos);
  EXPECT_NE(refusal("[warmup]\nuntil = \"soon\"").find("mark:NAME"), std::string::npos);
  EXPECT_NE(refusal("[[site]]\nmatch = \"(\"").find("regular expression"), std::string::npos);
  EXPECT_NE(refusal("[[site]]\nmax_faults = 1").find("needs match"), std::string::npos);
  EXPECT_NE(refusal("run = 1").find("table"), std::string::npos);
  EXPECT_NE(refusal("[site]\nmatch = \"a\"").find("[[site]]"), std::string::npos);
  EXPECT_NE(refusal("[run\n").find("not valid TOML"), std::string::npos);
  EXPECT_NE(refusal("[run]\nmax_faults = nan").find("count"), std::string::npos);
}

}  // namespace
}  // namespace ftprof
