// FTPROF_LIBMALLOC, and when memory counts as short.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "preload/libmalloc/memory.h"
#include "preload/libmalloc/settings.h"

namespace ftprof::libmalloc {
namespace {

constexpr size_t kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;

std::vector<std::string> complaints;

void note(const char* item, size_t length, const char*) {
  complaints.emplace_back(item, length);
}

Settings parse(const char* text) {
  complaints.clear();
  return parse_settings(text, 16 * kGiB, note);
}

TEST(LibmallocSettings, NothingGivesTheDefaults) {
  for (const char* text : {static_cast<const char*>(nullptr), "", ",", ",,"}) {
    Settings settings = parse(text);
    EXPECT_EQ(settings.policy, PolicyKind::deferred);
    EXPECT_EQ(settings.threshold, 127 * kKiB);
    EXPECT_TRUE(complaints.empty());
  }
}

TEST(LibmallocSettings, EveryKey) {
  Settings settings =
      parse("policy=classic,threshold=1MiB,entries=7,entry_limit=2GiB,hoard=65536,reserve=0");
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(settings.policy, PolicyKind::classic);
  EXPECT_EQ(settings.threshold, kMiB);
  EXPECT_EQ(settings.ring.entries, 7u);
  EXPECT_EQ(settings.ring.entry_bytes, 2 * kGiB);
  EXPECT_EQ(settings.ring.hoard_bytes, 64 * kKiB);
  EXPECT_EQ(settings.reserve, 0u);
}

TEST(LibmallocSettings, ThePolicySetsDefaultsWhereverItStands) {
  Settings settings = parse("entries=7,policy=classic");
  EXPECT_EQ(settings.ring.entries, 7u);
  EXPECT_EQ(settings.ring.entry_bytes, 128 * kMiB);
}

TEST(LibmallocSettings, WhatCannotBeReadIsNamedAndTheRestCounts) {
  Settings settings = parse("policy=klassic,entries=4097,threshold=1MB,nonsense,hoard=1MiB,=,x=1");
  EXPECT_EQ(complaints, (std::vector<std::string>{"policy=klassic", "entries=4097", "threshold=1MB",
                                                  "nonsense", "=", "x=1"}));
  EXPECT_EQ(settings.policy, PolicyKind::deferred);
  EXPECT_EQ(settings.threshold, 127 * kKiB);
  EXPECT_EQ(settings.ring.hoard_bytes, kMiB);
}

TEST(LibmallocSettings, SizesThatOverflowAreRefused) {
  parse("hoard=18446744073709551615");
  EXPECT_TRUE(complaints.empty());
  parse("hoard=18446744073709551616,reserve=16777216TiB,threshold=1,entry_limit=-1,hoard=");
  EXPECT_EQ(complaints.size(), 5u);
}

TEST(LibmallocMemory, NumbersAreFoundAtTheBeginningOfALine) {
  const char* text = "MemTotal:   100 kB\nXMemAvailable: 1 kB\nMemAvailable:   42 kB\n";
  EXPECT_EQ(number_after(text, "MemAvailable:"), 42u);
  EXPECT_EQ(number_after(text, "MemTotal:"), 100u);
  EXPECT_EQ(number_after(text, "Swap:"), SIZE_MAX);
  EXPECT_EQ(number_after("max\n", ""), SIZE_MAX);
  EXPECT_EQ(number_after("4096\n", ""), 4096u);
}

TEST(LibmallocMemory, ThisMachineTells) {
  EXPECT_GT(memory_bytes(), 16 * kMiB);
  EXPECT_LT(available_bytes(), memory_bytes());
}

size_t available = 0;
uint64_t now_ns = 0;
int looks = 0;

size_t fake_available() {
  return ++looks, available;
}
uint64_t fake_now() {
  return now_ns;
}

class MemoryWatchTest : public testing::Test {
 protected:
  MemoryWatchTest() {
    available = kGiB;
    now_ns = 1'000'000'000;
    looks = 0;
    watch_.configure(100 * kMiB, 10 * kMiB);
  }
  MemoryWatch watch_{{fake_available, fake_now}};
};

TEST_F(MemoryWatchTest, LooksOnlyAfterAStepWasGivenBack) {
  for (int i = 0; i < 9; ++i) watch_.lacking_after(kMiB);
  EXPECT_EQ(looks, 0);
  watch_.lacking_after(kMiB);
  EXPECT_EQ(looks, 1);
}

TEST_F(MemoryWatchTest, LooksAtMostTenTimesASecond) {
  for (int i = 0; i < 5; ++i) watch_.lacking_after(10 * kMiB);
  EXPECT_EQ(looks, 1);
  now_ns += MemoryWatch::kLeastIntervalNs;
  watch_.lacking_after(10 * kMiB);
  EXPECT_EQ(looks, 2);
}

TEST_F(MemoryWatchTest, SaysHowMuchIsLacking) {
  EXPECT_EQ(watch_.lacking_after(10 * kMiB), 0u);
  now_ns += MemoryWatch::kLeastIntervalNs;
  available = 30 * kMiB;
  EXPECT_EQ(watch_.lacking_after(10 * kMiB), 70 * kMiB);
}

TEST_F(MemoryWatchTest, UnknownIsNotShort) {
  available = SIZE_MAX;
  EXPECT_EQ(watch_.lacking_after(kGiB), 0u);
}

TEST_F(MemoryWatchTest, NoReserveNeverLooks) {
  watch_.configure(0, 10 * kMiB);
  watch_.lacking_after(kGiB);
  EXPECT_EQ(looks, 0);
}

}  // namespace
}  // namespace ftprof::libmalloc
