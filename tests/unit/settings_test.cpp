#include "analyzer/settings.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "analyzer/bad_input.h"
#include "analyzer/quantity.h"

namespace ftprof {
namespace {

template <class Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "accepted";
}

std::string toml_refusal(const std::string& text) {
  return refusal([&] { Settings().parse_toml(text, "a.toml"); });
}

std::string contents(const std::string& path) {
  std::ifstream file(std::string(SOURCE_ROOT) + "/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Quantity, ReadsUnits) {
  EXPECT_EQ(parse_bytes("128KiB"), 131072u);
  EXPECT_EQ(parse_bytes("2GiB"), 2147483648u);
  EXPECT_EQ(parse_bytes("4096"), 4096u);
  EXPECT_EQ(parse_duration_ns("500ms"), 500000000u);
  EXPECT_EQ(parse_duration_ns("0"), 0u);
  EXPECT_DOUBLE_EQ(*parse_share("3%"), 0.03);
  EXPECT_DOUBLE_EQ(*parse_share("0.5"), 0.5);
}

TEST(Quantity, RefusesWhatIsNone) {
  for (const char* text :
       {"", "KiB", "-1", "1.5MiB", "1 MiB", "12kb", "0x10", "99999999999GiB", "+1"})
    EXPECT_FALSE(parse_bytes(text)) << text;
  for (const char* text : {"", "s", "1m", "-1s", "999999999999s"})
    EXPECT_FALSE(parse_duration_ns(text)) << text;
  for (const char* text : {"", "%", "101%", "-1%", "nan", "inf", "3%%"})
    EXPECT_FALSE(parse_share(text)) << text;
}

TEST(Quantity, WritesWhatItReads) {
  for (uint64_t value : {0ull, 1ull, 1023ull, 1024ull, 131072ull, 1ull << 31, 1500ull << 20}) {
    EXPECT_EQ(parse_bytes(bytes_text(value)), value);
    EXPECT_EQ(parse_duration_ns(duration_text(value)), value);
  }
  EXPECT_EQ(bytes_text(131072), "128KiB");
  EXPECT_EQ(duration_text(1500000000), "1500ms");
}

TEST(Settings, EveryDefaultIsAGoodValueOfItsKind) {
  for (const SettingInfo& info : all_settings())
    EXPECT_TRUE(is_good_value(info, info.default_value)) << info.key;
}

TEST(Settings, DefaultTomlHoldsEveryKeyWithItsDefault) {
  Settings settings;
  settings.parse_toml(contents("configs/default.toml"), "default.toml");
  for (const SettingInfo& info : all_settings()) {
    ASSERT_TRUE(settings.given().contains(info.key)) << info.key;
    EXPECT_EQ(settings.get(info.key), info.default_value) << info.key;
  }
  EXPECT_EQ(settings.given().size(), all_settings().size());
}

TEST(Settings, DocumentationNamesEveryKeyWithItsDefault) {
  std::string page = contents("docs/settings.md");
  for (const SettingInfo& info : all_settings()) {
    std::string shown = info.default_value.empty() ? "" : info.default_value;
    std::string row = "| `" + info.key + "` | " + (shown.empty() ? "" : "`" + shown + "`");
    EXPECT_NE(page.find(row), page.npos) << row;
  }
}

TEST(Settings, CiTomlIsAccepted) {
  Settings settings;
  settings.parse_toml(contents("configs/ci.toml"), "ci.toml");
  EXPECT_EQ(settings.get("faults.period"), "1");
}

TEST(Settings, DottedKeysAndTablesAreTheSame) {
  Settings dotted, table;
  dotted.parse_toml("blocks.min_size = '1MiB'\ncalls.count = true\n", "a.toml");
  table.parse_toml("[blocks]\nmin_size = '1MiB'\n[calls]\ncount = true\n", "a.toml");
  EXPECT_EQ(dotted.given(), table.given());
  EXPECT_EQ(dotted.get("calls.count"), "true");
}

TEST(Settings, NumbersNeedNoQuotes) {
  Settings settings;
  settings.parse_toml("faults.period = 16\nsnapshot.interval = 0\noverhead.budget = 0.05\n",
                      "a.toml");
  EXPECT_EQ(settings.get("faults.period"), "16");
  EXPECT_EQ(settings.get("snapshot.interval"), "0");
  EXPECT_EQ(settings.get("overhead.budget"), "0.05");
}

TEST(Settings, TablesOfOthersArePassedOver) {
  Settings settings;
  settings.parse_toml(
      "[run]\nmax_faults = 3\n[[site]]\nmatch = 'x'\n[variant.mine]\nallocator='y'\n", "a.toml");
  EXPECT_TRUE(settings.given().empty());
}

TEST(Settings, RefusalsNameFileLineAndTheNearestKey) {
  EXPECT_EQ(toml_refusal("\n[faults]\nsorce = 'perf'\n"),
            "a.toml:3: unknown setting faults.sorce; did you mean faults.source?");
  EXPECT_EQ(toml_refusal("faults.source = 'ebpf'"),
            "a.toml:1: bad value \"ebpf\" for faults.source; it takes one of auto, perf, pagemap");
  EXPECT_EQ(toml_refusal("[blocks]\n\nmin_size = [1]\n"),
            "a.toml:3: blocks.min_size is neither text, a number, true nor false");
  EXPECT_TRUE(toml_refusal("a = = 1").starts_with("a.toml:1: not valid TOML: "));
  EXPECT_EQ(toml_refusal("[nothing.like.it]\nx = 1\n"),
            "a.toml:2: unknown setting nothing.like.it.x; docs/settings.md lists the keys");
}

TEST(Settings, PairsAndOptions) {
  Settings settings;
  settings.set_options("faults.period=1,blocks.min_size=64KiB,", "FTPROF_OPTIONS");
  settings.set_pair("faults.period=auto", "--set");
  EXPECT_EQ(settings.environment().at("FTPROF_OPTIONS"),
            "blocks.min_size=64KiB,faults.period=auto");
  EXPECT_EQ(refusal([&] { settings.set_pair("faults.period", "--set"); }),
            "--set: \"faults.period\" is not KEY=VALUE; did you mean faults.period?");
  EXPECT_EQ(refusal([&] { settings.set_pair("faults.period=0", "--set"); }),
            "--set: bad value \"0\" for faults.period; it takes auto or a whole number above 0");
}

TEST(Settings, TheFolderTravelsInItsOwnVariable) {
  Settings settings;
  EXPECT_TRUE(settings.environment().empty());
  settings.set("output.dir", "/tmp/a,b", "--set");
  EXPECT_EQ(settings.environment(),
            (std::map<std::string, std::string>{{"FTPROF_OUTPUT", "/tmp/a,b"}}));
}

TEST(Settings, KeysAreUnique) {
  std::set<std::string> keys;
  for (const SettingInfo& info : all_settings()) EXPECT_TRUE(keys.insert(info.key).second);
}

}  // namespace
}  // namespace ftprof
