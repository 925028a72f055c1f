#include "analyzer/compare.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "analyzer/bad_input.h"
#include "analyzer/print_compare.h"
#include "analyzer/try_advice.h"
#include "tests/unit/make_result.h"

namespace ftprof {
namespace {

using testing::result;
using testing::site;

GoodRun good(Result result, double wall_ns) {
  return {std::move(result), wall_ns, wall_ns, 1e6};
}

VariantRuns runs(const std::string& name, std::vector<uint64_t> faults) {
  VariantRuns made;
  made.variant.name = made.variant.allocator = name;
  for (uint64_t count : faults)
    made.runs.push_back(good(result({site({"take", "main"}, count)}), 1e9));
  return made;
}

Comparison compared(const std::vector<VariantRuns>& variants) {
  return compare_variants({"./app"}, variants[0].runs.size(), variants);
}

TEST(Variants, TheBuiltInOnesAreThere) {
  Variants variants;
  for (const char* name :
       {"glibc-retain", "glibc-thp", "jemalloc-retain", "jemalloc-thp", "mimalloc-eager"}) {
    EXPECT_FALSE(variants.find(name).env.empty()) << name;
    EXPECT_FALSE(variants.find(name).description.empty()) << name;
  }
}

TEST(Variants, AUsersOwnReplacesAndBadOnesAreRefused) {
  Variants variants;
  variants.parse("[variant.glibc-thp]\nallocator = \"/opt/16k/libc.so\"\nenv = { A = \"b\" }", "x");
  EXPECT_EQ(variants.find("glibc-thp").allocator, "/opt/16k/libc.so");
  auto refusal = [&](const char* toml) {
    try {
      variants.parse(toml, "v.toml");
    } catch (const BadInput& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal("[variant.a]\nalocator = \"x\""),
            "v.toml:2: a variant has no key alocator; did you mean allocator?");
  EXPECT_NE(refusal("[variant.a]\nenv = { A = 1 }").find("v.toml:2"), std::string::npos);
  EXPECT_NE(refusal("variant = 1").find("v.toml:1"), std::string::npos);
  EXPECT_THROW(variants.find("glibc-retian"), BadInput);
}

TEST(Compare, DifferencesBeyondTheNoiseAreSaid) {
  Comparison made =
      compared({runs("glibc", {10000, 10000, 10001}), runs("jemalloc", {900, 901, 900})});
  EXPECT_EQ(made.columns[1].sample("faults")->noise, Noise::beyond);
  EXPECT_EQ(made.columns[1].sample("wall_ns")->noise, Noise::within);
  ASSERT_EQ(made.sentences.size(), 1u);
  EXPECT_NE(made.sentences[0].find("jemalloc against glibc: faults -9,100"), std::string::npos)
      << made.sentences[0];
  EXPECT_NE(made.sentences[0].find("within the noise: wall time"), std::string::npos);
}

TEST(Compare, AFewFaultsMoreAreWithinTheNoise) {
  Comparison made = compared({runs("a", {1000, 1000, 1000}), runs("b", {1003, 1003, 1003})});
  EXPECT_EQ(made.columns[1].sample("faults")->noise, Noise::within);
}

TEST(Compare, OneRunJudgesNothing) {
  Comparison made = compared({runs("a", {1000}), runs("b", {5000})});
  EXPECT_EQ(made.columns[1].sample("faults")->noise, Noise::unknown);
  EXPECT_NE(made.sentences[0].find("--runs"), std::string::npos);
}

TEST(Compare, SitesAreMatchedAndSortedByDifference) {
  VariantRuns a = runs("a", {1}), b = runs("b", {1});
  a.runs[0].result = result({site({"same", "main"}, 5000), site({"differs", "main"}, 4000)});
  b.runs[0].result = result({site({"same", "main"}, 5000), site({"differs", "main"}, 10)});
  Comparison made = compared({a, b});
  EXPECT_EQ(made.sites[0].label, "differs at app.cpp:10");
  EXPECT_EQ(*made.sites[0].faults[1], 10);
  EXPECT_EQ(made.sites[1].range, 0);
}

TEST(Compare, AFailedVariantIsNamedAndTheOthersStand) {
  VariantRuns broken = runs("broken", {});
  broken.failures = {"run 1 was killed by Segmentation fault"};
  Comparison made = compared({runs("a", {10000, 10000}), broken, runs("b", {100, 100})});
  EXPECT_FALSE(made.all_ran());
  EXPECT_EQ(made.sentences.size(), 1u);
  std::ostringstream text;
  print_compare_text(made, {}, text);
  EXPECT_NE(text.str().find("FAILED broken: run 1 was killed"), std::string::npos);
  EXPECT_NE(text.str().find("100"), std::string::npos);
}

TEST(Compare, EveryFormPrints) {
  Comparison made = compared({runs("a", {10000, 10000}), runs("b", {100, 100})});
  std::ostringstream markdown, json;
  print_compare_markdown(made, {}, markdown);
  print_compare_json(made, {}, json);
  EXPECT_NE(markdown.str().find("| `b` | "), std::string::npos) << markdown.str();
  auto parsed = nlohmann::json::parse(json.str());
  EXPECT_EQ(parsed["variants"][1]["measures"]["faults"]["median"], 600);
  EXPECT_EQ(parsed["variants"][1]["measures"]["faults"]["beyond_noise"], true);
  EXPECT_TRUE(parsed["variants"][0]["measures"]["faults"]["beyond_noise"].is_null());
}

Result advised(uint64_t faults) {
  Result made = result({site({"take", "main"}, faults), site({"rest", "main"}, 10)});
  made.sites[0].advice = {{"keep", "Keep.", faults - 1000, 1000.0 * (faults - 1000), {{"K", "1"}}},
                          {"populate", "Populate.", 0, 5, {}}};
  return made;
}

TEST(TryAdvice, OneTrialForEachEnvironment) {
  std::vector<Trial> trials = trials_of(advised(10000));
  ASSERT_EQ(trials.size(), 1u);
  EXPECT_EQ(trials[0].kind, "keep");
  EXPECT_EQ(trials[0].predicted_faults, 9000);
  Variant base;
  base.env = {{"OTHER", "1"}};
  std::vector<Variant> variants = trial_variants(base, trials);
  ASSERT_EQ(variants.size(), 2u);
  EXPECT_EQ(variants[1].env, (std::map<std::string, std::string>{{"K", "1"}, {"OTHER", "1"}}));
}

TEST(TryAdvice, ListsOfSettingsAreAddedTo) {
  std::vector<Trial> trials(1);
  trials[0].kind = "huge";
  trials[0].env = {{"GLIBC_TUNABLES", "b=2"}};
  Variant base;
  base.env = {{"GLIBC_TUNABLES", "a=1"}};
  EXPECT_EQ(trial_variants(base, trials)[1].env.at("GLIBC_TUNABLES"), "a=1:b=2");
}

TEST(TryAdvice, MeasuredStandsBesidePredicted) {
  VariantRuns base = runs("base", {}), tried = runs("advice:keep", {1000, 1000});
  base.runs = {good(advised(10000), 1), good(advised(10000), 1)};
  std::vector<Trial> trials = trials_of(base.runs[0].result);
  fill_in(trials, {base, tried});
  EXPECT_EQ(trials[0].predicted_faults, 9000);
  EXPECT_EQ(*trials[0].measured_faults, 9010);
}

}  // namespace
}  // namespace ftprof
