#include "analyzer/diff.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "analyzer/changes.h"
#include "analyzer/print_diff.h"
#include "tests/unit/make_result.h"

namespace ftprof {
namespace {

using testing::result;
using testing::site;

const SiteDiff& named(const Diff& diff, const std::string& function) {
  for (const SiteDiff& one : diff.sites)
    if (one.pair.any().names.front() == function) return one;
  throw std::runtime_error(function + " is not in the diff");
}

std::string words(const SiteDiff& one) {
  std::string all;
  for (const std::string& clause : one.why) all += clause + "; ";
  return all;
}

TEST(Diff, OfARunWithItselfIsAllZero) {
  Result run = result({site({"load", "main"}, 4096), site({"parse", "main"}, 10)});
  Diff diff(run, run);
  for (const Measure& total : diff.totals) EXPECT_EQ(total.change(), 0) << total.name;
  for (const SiteDiff& one : diff.sites) {
    for (const Measure& measure : one.measures) EXPECT_EQ(measure.change(), 0) << measure.name;
    EXPECT_TRUE(one.why.empty());
  }
  EXPECT_FALSE(diff.differs(Tolerance{0, 0}));
}

TEST(Diff, TheOtherWayRoundIsTheNegative) {
  Result a = result({site({"load", "main"}, 4096), site({"renamed", "run", "main"}, 1000),
                     site({"gone", "x", "main"}, 7)});
  Result b = result({site({"load", "main"}, 6144, 2), site({"fresh_name", "run", "main"}, 1100),
                     site({"added", "y", "z", "main"}, 9000)});
  Diff forth(a, b), back(b, a);
  ASSERT_EQ(forth.sites.size(), back.sites.size());
  for (size_t i = 0; i < forth.totals.size(); ++i)
    EXPECT_EQ(forth.totals[i].change(), -back.totals[i].change());
  std::map<std::string, double> changes;
  for (const SiteDiff& one : forth.sites)
    for (const Measure& m : one.measures) changes[m.name] += m.change() * m.change();
  for (const SiteDiff& one : back.sites)
    for (const Measure& m : one.measures) changes[m.name] -= m.change() * m.change();
  for (const auto& [name, left] : changes) EXPECT_EQ(left, 0) << name;
  EXPECT_EQ(forth.differs(Tolerance{}), back.differs(Tolerance{}));
}

TEST(Diff, ARenamedFunctionIsMatchedByItsCallersAndSaidSo) {
  Diff diff(result({site({"load_v1", "startup", "main"}, 4096)}),
            result({site({"load_v2", "startup", "main"}, 4096)}));
  ASSERT_EQ(diff.sites.size(), 1u);
  EXPECT_TRUE(diff.sites[0].pair.by_callers);
  EXPECT_NE(words(diff.sites[0]).find("matched by its callers, was load_v1"), std::string::npos);
  EXPECT_EQ(diff.sites[0].faults().change(), 0);
}

TEST(Diff, AnInlinedFunctionIsMatchedByItsCallers) {
  Diff diff(result({site({"alloc", "helper", "startup", "main"}, 4096)}),
            result({site({"alloc", "startup", "main"}, 4096)}));
  ASSERT_EQ(diff.sites.size(), 1u);
  EXPECT_TRUE(diff.sites[0].pair.by_callers);
}

TEST(Diff, SitesOfUnlikeSizeAreNotTakenForRenamed) {
  Diff diff(result({site({"small", "main"}, 10)}), result({site({"large", "main"}, 4096)}));
  ASSERT_EQ(diff.sites.size(), 2u);
  EXPECT_EQ(words(named(diff, "small")), "gone; ");
  EXPECT_EQ(words(named(diff, "large")).substr(0, 4), "new:");
}

TEST(Diff, AllocatorFramesDoNotTellSitesApart) {
  Site under_glibc = site({"operator new", "load", "main"}, 4096);
  under_glibc.top = 1;
  Site under_jemalloc = site({"je_new", "fallback", "load", "main"}, 4096);
  under_jemalloc.top = 2;
  Diff diff(result({under_glibc}), result({under_jemalloc}));
  ASSERT_EQ(diff.sites.size(), 1u);
  EXPECT_FALSE(diff.sites[0].pair.by_callers);
}

TEST(Diff, AMoveBetweenSitesWithTheSameTotalIsSeen) {
  Diff diff(result({site({"a", "x", "main"}, 4000), site({"b", "y", "z", "main"}, 1000)}),
            result({site({"a", "x", "main"}, 3000), site({"b", "y", "z", "main"}, 2000)}));
  EXPECT_EQ(diff.totals[0].change(), 0);
  EXPECT_TRUE(diff.differs(Tolerance{}));
}

TEST(Diff, AFewFaultsAreWithinTheSlack) {
  Result a = result({site({"a", "main"}, 20)}, 500), b = result({site({"a", "main"}, 25)}, 515);
  EXPECT_FALSE(Diff(a, b).differs(Tolerance{}));
  EXPECT_TRUE(Diff(a, b).differs(Tolerance{0.02, 0}));
}

TEST(Diff, ANewFirstToucherOfTheSamePagesIsSeen) {
  Site before = site({"make", "main"}, 2048), after = before;
  after.touch_sites = {{testing::frame("__memset_avx2_unaligned_erms"), 2048, 1}};
  Diff diff(result({before}), result({after}));
  EXPECT_TRUE(diff.differs(Tolerance{}));
  EXPECT_NE(words(diff.sites[0]).find("first touched by memset, before by fill"),
            std::string::npos);
}

TEST(Diff, TheProcessorsVariantOfMemsetIsNoChange) {
  Site before = site({"make", "main"}, 2048), after = before;
  before.touch_sites = {{testing::frame("__memset_evex_unaligned_erms"), 2048, 1}};
  after.touch_sites = {{testing::frame("__memset_avx2_unaligned_erms"), 2048, 1}};
  EXPECT_FALSE(Diff(result({before}), result({after})).differs(Tolerance{}));
}

TEST(Diff, SampledCountsAreAllowedTheirError) {
  Result a = result({site({"a", "main"}, 10000)}), b = result({site({"a", "main"}, 10400)});
  EXPECT_TRUE(Diff(a, b).differs(Tolerance{}));
  a.run.fault_period = b.run.fault_period = 31;
  EXPECT_FALSE(Diff(a, b).differs(Tolerance{}));
}

TEST(Diff, TheProfilersOwnFaultsDoNotCount) {
  Result a = result({site({"a", "main"}, 1000)}), b = a;
  b.ledger.rows.push_back({Owner::profiler, 900, 0});
  b.ledger.minor_faults += 900;
  EXPECT_FALSE(Diff(a, b).differs(Tolerance{}));
}

TEST(Diff, ManySitesMatchInLinearTime) {
  std::vector<Site> before, after;
  for (int i = 0; i < 3000; ++i) {
    std::string n = std::to_string(i);
    before.push_back(site({"f" + n, "g" + n, "h" + n, "main"}, 100));
    after.push_back(site({"F" + n, "g" + n, "h" + n, "main"}, 100));
  }
  Diff diff(result(before), result(after));
  EXPECT_EQ(diff.sites.size(), 3000u);
  EXPECT_TRUE(diff.sites[0].pair.by_callers);
}

TEST(PrintDiff, EveryFormSaysTheSame) {
  Result a = result({site({"load|<b>", "main"}, 4096)});
  Result b = result({site({"load|<b>", "main"}, 6144, 2)});
  Diff diff(a, b);
  DiffView view{"a.json", "b.json", {}, 20};
  std::ostringstream text, markdown, json, csv;
  print_diff_text(diff, view, text);
  print_diff_markdown(diff, view, markdown);
  print_diff_json(diff, view, json);
  print_diff_csv(diff, view, csv);
  EXPECT_NE(text.str().find("+2,048 (+50.0 %)"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("1 of 1 sites differ"), std::string::npos);
  EXPECT_NE(markdown.str().find("`load\\|<b> at app.cpp:10`"), std::string::npos);
  EXPECT_NE(csv.str().find(",faults,4096,6144"), std::string::npos);
  auto parsed = nlohmann::json::parse(json.str());
  EXPECT_EQ(parsed["sites"][0]["measures"]["faults"]["change"], 2048);
  EXPECT_EQ(parsed["differs"], true);
}

}  // namespace
}  // namespace ftprof
