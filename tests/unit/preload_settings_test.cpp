#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "preload/settings.h"

namespace ftprof {
namespace {

struct Read {
  Settings settings;
  std::vector<std::string> errors;
};

Read read(const char* options) {
  Read result{};
  read_settings(
      &result.settings, options,
      [](const SettingError& error, void* context) {
        static_cast<Read*>(context)->errors.push_back((error.unknown_key ? "unknown " : "bad ") +
                                                      std::string(error.text, error.bytes));
      },
      &result);
  return result;
}

TEST(PreloadSettings, HaveTheDefaultsOfTheTable) {
  Read result = read(nullptr);
  EXPECT_EQ(result.settings.blocks_min_size, 128u << 10);
  EXPECT_EQ(result.settings.snapshot_interval, 1000000000u);
  EXPECT_DOUBLE_EQ(result.settings.overhead_budget, 0.03);
  EXPECT_TRUE(result.settings.faults_source.is("auto"));
  EXPECT_EQ(result.settings.faults_period, 0u);
  EXPECT_FALSE(result.settings.calls_count);
  EXPECT_TRUE(result.errors.empty());
}

TEST(PreloadSettings, TakeEveryKindOfValue) {
  Read result = read(
      "blocks.min_size=4KiB,snapshot.interval=500ms,overhead.budget=0.5%,faults.source=perf,"
      "faults.period=7,calls.count=true,output.dir=/a b/c");
  EXPECT_TRUE(result.errors.empty());
  EXPECT_EQ(result.settings.blocks_min_size, 4096u);
  EXPECT_EQ(result.settings.snapshot_interval, 500000000u);
  EXPECT_DOUBLE_EQ(result.settings.overhead_budget, 0.005);
  EXPECT_TRUE(result.settings.faults_source.is("perf"));
  EXPECT_EQ(result.settings.faults_period, 7u);
  EXPECT_TRUE(result.settings.calls_count);
  EXPECT_STREQ(result.settings.output_dir.text, "/a b/c");
}

TEST(PreloadSettings, NameWhatIsWrongAndKeepTheDefault) {
  Read result = read(
      "blocks.min_size=64KB,no.such.key=1,faults.source=ebpf,overhead.budget=200%,"
      "log.level,snapshot.interval=2s");
  EXPECT_EQ(result.errors,
            (std::vector<std::string>{"bad blocks.min_size=64KB", "unknown no.such.key=1",
                                      "bad faults.source=ebpf", "bad overhead.budget=200%",
                                      "unknown log.level"}));
  EXPECT_EQ(result.settings.blocks_min_size, 128u << 10);
  EXPECT_TRUE(result.settings.faults_source.is("auto"));
  EXPECT_EQ(result.settings.snapshot_interval, 2000000000u);
}

TEST(PreloadSettings, RefuseNumbersThatDoNotFit) {
  uint64_t size = 0;
  EXPECT_FALSE(parse_size("99999999999999999999", 20, &size));
  EXPECT_FALSE(parse_size("18446744073709551615KiB", 23, &size));
  EXPECT_FALSE(parse_size("", 0, &size));
  EXPECT_FALSE(parse_size("-1", 2, &size));
  EXPECT_TRUE(parse_size("18446744073709551615", 20, &size));
}

TEST(PreloadSettings, AreShownAsTheyAreWritten) {
  Read result = read("faults.period=7,overhead.budget=2.5%");
  std::vector<std::string> shown;
  visit_settings(
      result.settings,
      [](const char* key, const char* value, void* context) {
        static_cast<std::vector<std::string>*>(context)->push_back(std::string(key) + "=" + value);
      },
      &shown);
  auto has = [&](const char* line) {
    return std::find(shown.begin(), shown.end(), line) != shown.end();
  };
  EXPECT_TRUE(has("blocks.min_size=128KiB"));
  EXPECT_TRUE(has("snapshot.interval=1s"));
  EXPECT_TRUE(has("overhead.budget=2.50%"));
  EXPECT_TRUE(has("faults.period=7"));
  EXPECT_TRUE(has("trace.max_size=4GiB"));
}

}  // namespace
}  // namespace ftprof
