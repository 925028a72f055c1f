#include "analyzer/result_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "analyzer/bad_input.h"
#include "tests/unit/make_result.h"

namespace ftprof {
namespace {

using Json = nlohmann::json;

std::string written(const Result& result) {
  std::ostringstream out;
  write_json(result, out);
  return out.str();
}

Result parsed(const std::string& text) {
  std::istringstream in(text);
  return read_json(in, "report.json");
}

std::string refusal(const std::string& text) {
  try {
    parsed(text);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "accepted";
}

// Something in every part, each number different.
Result everything() {
  Site one = testing::site({"load_model", "main"}, 2048, 3);
  one.stack[0].inlined = true;
  one.stack[1].nearest = true;
  one.stack[1].module_offset = 0x1234;
  one.cost = {1.5e6, 2.25, 700, 800.5, 900, 12345};
  one.faults = {2048, 2000, 20, 10, 4, 8, 6, 1, 3};
  one.reuse = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11.5, 12};
  one.touch_threads = {{"worker-3", 77, 2048, 1e6}};
  one.placement = {{1, 99}};
  one.advice = {{"keep", "Keep it.", 100, 1e5, {{"MALLOC_CONF", "retain:true"}}},
                {"calloc", "Use calloc.", 0, 0, {}}};
  one.by_phase = {{"ready", {12, 34.5}}};
  Result all = testing::result({one, testing::site({"parse", "main"}, 7)});
  all.run.calls.emplace()["malloc"] = UINT64_MAX;
  all.run.settings = {{"faults.period", "auto"}};
  all.run.prices_ns = {{"huge", 120000.5}};
  all.run.notes = {"a note"};
  all.run.warnings = {"a warning"};
  all.pool.reuse_p50_ns = 17;
  all.pool.feeds = {{"a", "b", 3, 4}};
  all.pool.longest_idle = {{"a", 5, 6, 7}};
  all.pool.verdicts = {"glibc gives it back"};
  all.pool.over_time = {{1, 2, 3, 4, 5}};
  all.huge = {1, 2, 3, 4, "advice is absent"};
  all.threads = {{"main", 5, 0, 6, 7}};
  all.phases = {{"start", 0, 1, 2, 3}};
  all.timeline = {1e9, {1, 2}, {3.5, 4}, {5, 6}, 2e9};
  all.block_map = {{"a", 5, 6, 7, std::nullopt, {{8, 9, 10, 11, 12}}}};
  all.modules = {{"/usr/bin/app", "abcd"}};
  all.ledger.mappings = {{"[heap]", 5}};
  all.ledger.small_heap_touch_sites = {{testing::frame("parse"), 1, 2}};
  return all;
}

TEST(ResultJson, WhatIsReadBackWritesTheSame) {
  std::string text = written(everything());
  EXPECT_EQ(written(parsed(text)), text);
}

TEST(ResultJson, NamesAreTheContracts) {
  Json report = Json::parse(written(everything()));
  EXPECT_EQ(report["schema"], "ftprof.report/1");
  EXPECT_EQ(report["ledger"]["rows"][0]["owner"], "blocks");
  const Json& site = report["sites"][0];
  for (const char* key :
       {"id", "function", "file", "line", "module", "api", "stack", "blocks", "pages", "faults",
        "cost", "calls", "reuse", "touch_threads", "touch_sites", "placement", "advice"})
    EXPECT_TRUE(site.contains(key)) << key;
  EXPECT_EQ(site["function"], "load_model");
  EXPECT_EQ(site["advice"][0]["try"]["env"]["MALLOC_CONF"], "retain:true");
  EXPECT_EQ(report["run"]["calls"]["malloc"], UINT64_MAX);
}

TEST(ResultJson, AbsentKnowledgeIsNull) {
  Result bare = testing::result({testing::site({"??"}, 1)});
  bare.sites[0].stack[0].file.clear();
  bare.sites[0].stack[0].line = 0;
  Json report = Json::parse(written(bare));
  EXPECT_TRUE(report["run"]["calls"].is_null());
  EXPECT_TRUE(report["sites"][0]["function"].is_null());
  EXPECT_TRUE(report["sites"][0]["file"].is_null());
  EXPECT_TRUE(report["sites"][0]["line"].is_null());
  EXPECT_TRUE(report["sites"][0]["cost"]["p50_ns"].is_null());
  Result back = parsed(written(bare));
  EXPECT_EQ(back.sites[0].stack[0].function, "??");
  EXPECT_FALSE(back.sites[0].cost.p50_ns);
}

TEST(ResultJson, HostileNamesBecomePlainText) {
  Result hostile =
      testing::result({testing::site({"a\xff\x1b[31m\"\\\n\xe2\x80\xae</script>"}, 1)});
  std::string text = written(hostile);
  for (unsigned char byte : text) EXPECT_TRUE(byte == '\n' || (byte >= ' ' && byte < 0x7f));
  EXPECT_EQ(Json::parse(text)["sites"][0]["function"],
            "a\xef\xbf\xbd\x1b[31m\"\\\n\xe2\x80\xae</script>");
}

TEST(ResultJson, OneLineSaysWhatIsWrongAndWhere) {
  Json report = Json::parse(written(everything()));
  auto with = [&](const char* pointer, Json value) {
    Json changed = report;
    changed[Json::json_pointer(pointer)] = std::move(value);
    return refusal(changed.dump());
  };
  EXPECT_EQ(with("/sites/1/faults/count", -1),
            "report.json: not a usable report: sites[1].faults.count: "
            "expected a whole number, not negative, found number");
  EXPECT_NE(with("/sites/0/stack/1/line", 1e12).find("sites[0].stack[1].line"), std::string::npos);
  EXPECT_NE(with("/sites/0/process", 9).find("sites[0].process"), std::string::npos);
  EXPECT_NE(with("/sites/0/top_frame", 9).find("top_frame"), std::string::npos);
  EXPECT_NE(with("/sites/0", "x").find("sites[0]"), std::string::npos);
  EXPECT_NE(with("/ledger/rows/0/owner", "nobody").find("nobody"), std::string::npos);
  EXPECT_NE(with("/schema", "ftprof.report/2").find("ftprof.report/1"), std::string::npos);
}

TEST(ResultJson, NoReportIsRefused) {
  EXPECT_NE(refusal("").find("not a JSON report"), std::string::npos);
  EXPECT_NE(refusal("[]").find("expected an object"), std::string::npos);
  EXPECT_NE(refusal("{}").find("schema"), std::string::npos);
  EXPECT_NE(refusal("7").find("expected an object"), std::string::npos);
  EXPECT_NE(refusal("{\"schema\": 1e999}").find("not a"), std::string::npos);
  EXPECT_NE(refusal(std::string(100000, '[')).find("not a"), std::string::npos);
  std::string text = written(everything());
  for (size_t cut = 0; cut + 2 < text.size(); cut += 97)
    EXPECT_NE(refusal(text.substr(0, cut)), "accepted") << cut;
}

TEST(ResultJson, ManySitesStream) {
  Result big = testing::result(std::vector<Site>(20000, testing::site({"f", "g", "main"}, 5)));
  EXPECT_EQ(parsed(written(big)).sites.size(), 20000u);
}

}  // namespace
}  // namespace ftprof
