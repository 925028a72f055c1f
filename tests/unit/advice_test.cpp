#include "analyzer/advice.h"

#include <gtest/gtest.h>

#include "tests/unit/make_result.h"

namespace ftprof {
namespace {

using testing::result;
using testing::site;

const Advice* find(const Site& site, const std::string& kind) {
  for (const Advice& one : site.advice)
    if (one.kind == kind) return &one;
  return nullptr;
}

// 15 blocks of 1,024 pages, one live at a time, each faulted in again.
Site cold_site() {
  Site cold = site({"take", "main"}, 15 * 1024, 15);
  cold.reuse = {};
  cold.reuse.fresh = 1;
  cold.reuse.cold = 14;
  cold.blocks.peak_live_bytes = cold.blocks.bytes / 15;
  return cold;
}

TEST(Advice, ColdHandOutsAreToldToKeep) {
  Result run = result({cold_site()});
  give_advice(run);
  const Advice* keep = find(run.sites[0], "keep");
  ASSERT_TRUE(keep);
  EXPECT_EQ(keep->saves_faults, 14u * 1024);
  EXPECT_DOUBLE_EQ(*keep->saves_ns, 14 * 1024 * 1000.0);
  EXPECT_EQ(keep->try_env.count("GLIBC_TUNABLES"), 1u);
}

TEST(Advice, WarmHandOutsSaveNothing) {
  Site warm = cold_site();
  warm.faults.count = warm.faults.write = 1024;
  warm.reuse.cold = 0;
  warm.reuse.warm = 14;
  Result run = result({warm, site({"rest", "main"}, 5000)});
  run.sites[1].blocks.peak_live_bytes = run.sites[1].blocks.bytes;
  give_advice(run);
  EXPECT_FALSE(find(run.sites[0], "keep"));
  EXPECT_FALSE(find(run.sites[1], "keep"));
}

TEST(Advice, SitesThatTakeTurnsShareWhatIsKept) {
  Result run = result({cold_site(), cold_site()});
  for (uint32_t i = 0; i < 30; ++i) {
    BlockLife life;
    life.site = i % 2;
    life.touched_pages = 1024;
    life.born_ns = i * 10;
    life.gone_ns = i * 10 + 10;
    run.blocks.push_back(life);
  }
  give_advice(run);
  uint64_t saved =
      find(run.sites[0], "keep")->saves_faults + find(run.sites[1], "keep")->saves_faults;
  EXPECT_EQ(saved, 29u * 1024);
}

TEST(Advice, AMappingOfTheProgramsOwnHasNoSettingToTry) {
  Site mapped = cold_site();
  mapped.api = "mmap";
  Result run = result({mapped});
  give_advice(run);
  EXPECT_TRUE(find(run.sites[0], "keep")->try_env.empty());
}

TEST(Advice, HugePagesArePricedByCalibration) {
  Site large = site({"take", "main"}, 4096);
  large.blocks.peak_live_bytes = large.blocks.bytes;
  large.pages.could_be_huge = 4096;
  Result run = result({large});
  run.run.thp_enabled = "madvise";
  run.run.prices_ns["huge"] = 100000;
  give_advice(run);
  const Advice* huge = find(run.sites[0], "huge");
  ASSERT_TRUE(huge);
  EXPECT_EQ(huge->saves_faults, 4096u - 8);
  EXPECT_DOUBLE_EQ(*huge->saves_ns, 4096 * 1000.0 - 8 * 100000.0);
  run.run.thp_enabled = "never";
  give_advice(run);
  EXPECT_FALSE(find(run.sites[0], "huge"));
}

TEST(Advice, HugePagesWithoutAPriceSaveATimeThatIsNotKnown) {
  Site large = site({"take", "main"}, 4096);
  large.pages.could_be_huge = 4096;
  Result run = result({large});
  run.run.thp_enabled = "madvise";
  give_advice(run);
  const Advice* huge = find(run.sites[0], "huge");
  ASSERT_TRUE(huge);
  EXPECT_FALSE(huge->saves_ns);
  EXPECT_EQ(saving_text(*huge), "Saves 4,088 faults.");
}

TEST(Advice, HugePagesSpareNoFaultOfWarmPages) {
  Site warm = site({"take", "main"}, 1024);
  warm.pages.handed_out = warm.pages.touched = warm.pages.could_be_huge = 4096;
  Result run = result({warm});
  run.run.thp_enabled = "madvise";
  give_advice(run);
  EXPECT_EQ(find(run.sites[0], "huge")->saves_faults, 1024u - 2);
}

TEST(Advice, MimallocUnmapsLargeBlocksWhateverItsSettings) {
  Site cold = cold_site();
  Result run = result({cold});
  run.run.allocator_name = "mimalloc";
  give_advice(run);
  EXPECT_FALSE(find(run.sites[0], "keep")->try_env.empty());
  run.sites[0].blocks.bytes = 15 * (32u << 20);
  run.sites[0].blocks.peak_live_bytes = 32u << 20;
  give_advice(run);
  const Advice* keep = find(run.sites[0], "keep");
  EXPECT_TRUE(keep->try_env.empty());
  EXPECT_NE(keep->text.find("a pool does"), std::string::npos);
}

TEST(Advice, PopulateIsCheaperWhereEveryPageIsTouched) {
  Result run = result({site({"take", "main"}, 4096)});
  run.run.prices_ns["populate"] = 600;
  give_advice(run);
  EXPECT_DOUBLE_EQ(*find(run.sites[0], "populate")->saves_ns, 4096 * 400.0);
  run.sites[0].pages.handed_out = 9000;
  give_advice(run);
  EXPECT_FALSE(find(run.sites[0], "populate"));
}

TEST(Advice, MemsetOfFreshPagesAsksForCalloc) {
  Site cleared = site({"take", "main"}, 4096);
  cleared.touch_sites = {{testing::frame("__memset_avx2_unaligned_erms"), 4096, 4e6}};
  Result run = result({cleared});
  give_advice(run);
  EXPECT_TRUE(find(run.sites[0], "calloc"));
  run.sites[0].api = "calloc";
  give_advice(run);
  EXPECT_FALSE(find(run.sites[0], "calloc"));
}

TEST(Advice, ReadingBeforeWritingPaysTwice) {
  Site twice = site({"take", "main"}, 2048);
  twice.faults.write = 0;
  twice.faults.zero_read = twice.faults.write_after_zero_read = 1024;
  Result run = result({twice});
  run.run.prices_ns = {{"write", 900}, {"zero_read", 400}, {"write_after_zero_read", 1000}};
  give_advice(run);
  const Advice* advice = find(run.sites[0], "no_read_first");
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->saves_faults, 1024u);
  EXPECT_DOUBLE_EQ(*advice->saves_ns, 1024 * 500.0);
}

TEST(Advice, UntouchedPagesAskForLess) {
  Site wide = site({"take", "main"}, 1000);
  wide.pages.handed_out = 10000;
  wide.pages.untouched = 9000;
  Result run = result({wide});
  give_advice(run);
  EXPECT_TRUE(find(run.sites[0], "smaller"));
}

TEST(Advice, ConsumersOnAnotherNodeAreNamed) {
  Site handed = site({"take", "main"}, 1000);
  handed.reuse.cross_node = 5;
  Result run = result({handed});
  give_advice(run);
  EXPECT_FALSE(find(run.sites[0], "first_touch_on_consumer"));
  run.run.numa_nodes = 2;
  give_advice(run);
  EXPECT_TRUE(find(run.sites[0], "first_touch_on_consumer"));
}

TEST(Advice, TriflesAreLeftOut) {
  Site trifle = cold_site();
  trifle.faults.count = 100;
  Result run = result({trifle}, 100000);
  give_advice(run);
  EXPECT_FALSE(find(run.sites[0], "keep"));
}

}  // namespace
}  // namespace ftprof
