#include "analyzer/check.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "analyzer/bad_input.h"
#include "analyzer/print_check.h"
#include "tests/unit/make_result.h"

namespace ftprof {
namespace {

using testing::result;
using testing::site;

CheckReport check(const Result& run, const std::string& toml, const Result* baseline = nullptr) {
  return check_run(run, parse_budget(toml, "ci.toml"), baseline);
}

const Finding& only(const CheckReport& report) {
  EXPECT_EQ(report.findings.size(), 1u);
  return report.findings.at(0);
}

Result two_phases() {
  Site load = site({"load", "main"}, 4096), serve = site({"serve", "main"}, 100);
  load.by_phase = {{"start", {4096, 4e6}}};
  serve.by_phase = {{"ready", {100, 1e5}}};
  Result run = result({load, serve});
  run.phases = {{"start", 0, 2e9, 4500, 4.5e6}, {"ready", 2e9, 10e9, 160, 1.6e5}};
  run.timeline.interval_ns = 1e9;
  run.timeline.faults = {4000, 500, 20, 20, 20, 20, 20, 20, 20, 20};
  run.timeline.fault_ns = {4e6, 5e5, 1e4, 1e4, 1e4, 1e4, 1e4, 1e4, 1e4, 1e4};
  run.timeline.warmup_end_ns = 2e9;
  return run;
}

TEST(Check, AKeptLimitPassesAndAnExceededOneNamesTheDearestSite) {
  Result run = result({site({"load", "main"}, 4096), site({"parse", "main"}, 10)});
  EXPECT_FALSE(check(run, "[run]\nmax_faults = 4606").failed());
  CheckReport report = check(run, "[run]\nmax_faults = 4605");
  EXPECT_TRUE(report.failed());
  EXPECT_EQ(only(report).found_value, 4606);
  EXPECT_EQ(only(report).blame->site, "load at app.cpp:10");
  EXPECT_EQ(only(report).blame->stack, "load < main");
}

TEST(Check, TimesAreJudgedOnlyWhenBudgeted) {
  Result slow = result({site({"load", "main"}, 100)});
  slow.ledger.cost_ns = 1e12;
  EXPECT_FALSE(check(slow, "[run]\nmax_faults = 1000").failed());
  EXPECT_TRUE(check(slow, "[run]\nmax_fault_time = \"60ms\"").failed());
}

TEST(Check, WarmupEndsAtAMarkATimeOrByItself) {
  Result run = two_phases();
  EXPECT_EQ(only(check(run, "[warmup]\nuntil=\"mark:ready\"\nmax_faults=1")).found_value, 4500);
  EXPECT_EQ(only(check(run, "[warmup]\nuntil=\"1500ms\"\nmax_faults=1")).found_value, 4250);
  EXPECT_EQ(only(check(run, "[warmup]\nmax_faults=1")).found_value, 4500);
  EXPECT_THROW(check(run, "[warmup]\nuntil=\"mark:reday\"\nmax_faults=1"), BadInput);
}

TEST(Check, SteadyFaultsAreARateAfterWarmup) {
  Result run = two_phases();
  const char* limit = "[warmup]\nuntil=\"mark:ready\"\n[steady]\nmax_faults_per_second=10";
  CheckReport report = check(run, limit);
  EXPECT_EQ(only(report).found_value, 20);
  EXPECT_EQ(only(report).blame->site, "serve at app.cpp:10");
  run.timeline.warmup_end_ns.reset();
  report = check(run, "[steady]\nmax_faults_per_second=10");
  EXPECT_TRUE(report.failed());
  EXPECT_EQ(only(report).found, "warm-up never ended");
}

TEST(Check, ASiteIsFoundByAnyFrame) {
  Result run = result({site({"alloc", "load_model", "main"}, 4096), site({"parse", "main"}, 10)});
  EXPECT_FALSE(check(run, "[[site]]\nmatch=\"^load_\"\nmax_faults=4096").failed());
  EXPECT_TRUE(check(run, "[[site]]\nmatch=\"^load_\"\nmax_faults=4095").failed());
  run.sites[0].reuse = {};
  run.sites[0].reuse.fresh = 1;
  run.sites[0].reuse.warm = 9;
  EXPECT_FALSE(check(run, "[[site]]\nmatch=\"load\"\nmin_warm=\"90%\"").failed());
  EXPECT_TRUE(check(run, "[[site]]\nmatch=\"load\"\nmin_warm=\"91%\"").failed());
}

TEST(Check, ASiteThatIsNotThereCannotBeWarm) {
  Result run = result({site({"parse", "main"}, 10)});
  CheckReport report = check(run, "[[site]]\nmatch=\"laod\"\nmax_faults=5\nmin_warm=\"90%\"");
  EXPECT_FALSE(report.findings[0].exceeded);
  EXPECT_TRUE(report.findings[1].exceeded);
  EXPECT_EQ(report.notes.size(), 1u);
}

TEST(Check, HostileNamesDoNotReachTheRegexWhole) {
  Result run = result({site({std::string(1 << 20, 'a'), "main"}, 10)});
  EXPECT_FALSE(check(run, "[[site]]\nmatch=\"(a|b)*c\"\nmax_faults=1").failed());
}

TEST(Check, OneMoreBufferInWarmupIsCaughtWithItsSite) {
  Result before = result({site({"load", "main"}, 4096), site({"big", "x", "main"}, 60000)});
  Result after = result({site({"load", "main"}, 6144, 2), site({"big", "x", "main"}, 60000)});
  CheckReport report = check(after, "", &before);
  EXPECT_TRUE(report.failed());
  const Finding& last = report.findings.back();
  EXPECT_EQ(last.subject, "load at app.cpp:10");
  EXPECT_NE(last.blame->changed.find("blocks 1 → 2"), std::string::npos) << last.blame->changed;
}

TEST(Check, TheSiteThatRoseIsBlamedNotTheDearest) {
  Result before = result({site({"load", "main"}, 4096), site({"big", "x", "main"}, 60000)});
  Result after = result({site({"load", "main"}, 6144, 2), site({"big", "x", "main"}, 60000)});
  CheckReport report = check(after, "[run]\nmax_faults=66000", &before);
  EXPECT_EQ(report.findings[0].blame->site, "load at app.cpp:10");
}

TEST(Check, APoolThatStopsKeepingIsCaught) {
  Site warm = site({"take", "main"}, 1024, 15);
  warm.reuse.fresh = 1, warm.reuse.warm = 14;
  Site cold = site({"take", "main"}, 15360, 15);
  cold.reuse.fresh = 1, cold.reuse.cold = 14;
  cold.blocks.bytes = warm.blocks.bytes;
  Result before = result({warm}), after = result({cold});
  CheckReport report = check(after, "", &before);
  const std::string& changed = report.findings.back().blame->changed;
  EXPECT_NE(changed.find("warm hand-outs 14 → 0"), std::string::npos) << changed;
  EXPECT_NE(changed.find("cold hand-outs 0 → 14"), std::string::npos) << changed;
}

TEST(Check, AMemsetBeforeAFullWriteIsCaught) {
  Result before = result({site({"make", "main"}, 2048)}), after = before;
  after.sites[0].touch_sites = {{testing::frame("__memset_avx2_unaligned"), 2048, 1}};
  CheckReport report = check(after, "", &before);
  EXPECT_TRUE(report.failed());
  EXPECT_NE(report.findings.back().blame->changed.find("first touched by memset"),
            std::string::npos);
}

TEST(Check, AMoveBetweenSitesWithTheSameTotalIsCaught) {
  Result before = result({site({"a", "main"}, 4000), site({"b", "y", "z", "main"}, 1000)});
  Result after = result({site({"a", "main"}, 3000), site({"b", "y", "z", "main"}, 2000)});
  CheckReport report = check(after, "", &before);
  EXPECT_TRUE(report.failed());
  EXPECT_FALSE(report.findings.front().exceeded);
  EXPECT_EQ(report.findings.back().subject, "b at app.cpp:10");
}

TEST(Check, LessIsNoAlarm) {
  Result before = result({site({"a", "main"}, 4000)}), after = result({site({"a", "main"}, 400)});
  EXPECT_FALSE(check(after, "", &before).failed());
}

TEST(Check, ToleranceComesFromTheBudget) {
  Result before = result({site({"a", "main"}, 4000)}), after = result({site({"a", "main"}, 4300)});
  EXPECT_TRUE(check(after, "", &before).failed());
  EXPECT_FALSE(check(after, "[baseline]\ntolerance=\"10%\"", &before).failed());
}

TEST(Check, PagesOfAnotherSizeCannotBeCompared) {
  Result before = result({site({"a", "main"}, 4000)}), after = before;
  after.run.page_bytes = 16384;
  EXPECT_THROW(check(after, "", &before), BadInput);
}

TEST(PrintCheck, EveryFormNamesLimitFoundVerdictAndSite) {
  Result run = result({site({"load<&>", "main"}, 4096)});
  CheckReport report = check(run, "[run]\nmax_faults = 1\nmin_accounted=\"98%\"");
  auto printed = [&](auto print) {
    std::ostringstream out;
    print(report, out);
    return out.str();
  };
  EXPECT_NE(printed(print_check_text).find("EXCEEDED"), std::string::npos);
  EXPECT_NE(printed(print_check_markdown).find("`load<&> at app.cpp:10`"), std::string::npos);
  EXPECT_NE(printed(print_check_junit).find("load&lt;&amp;&gt;"), std::string::npos);
  EXPECT_NE(printed(print_check_junit).find("tests=\"2\" failures=\"1\""), std::string::npos);
  auto json = nlohmann::json::parse(printed(print_check_json));
  EXPECT_EQ(json["passed"], false);
  EXPECT_EQ(json["findings"][0]["found"], 4596);
}

TEST(PrintCheck, AnnotationsAreOneLineEach) {
  Result run = result({site({"load\n::set-env::", "main"}, 4096)});
  run.sites[0].stack[0].file = "/home/ci/repo/src/a,b.cpp";
  std::ostringstream out;
  print_check_annotations(check(run, "[run]\nmax_faults = 1"), "/home/ci/repo", out);
  std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_NE(text.find("file=src/a%2Cb.cpp,line=10::"), std::string::npos) << text;
}

}  // namespace
}  // namespace ftprof
