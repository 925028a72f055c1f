// The second time round: blocks that stand for others, and pages that leave without a record.
#include <gtest/gtest.h>

#include "analyzer/analyze.h"
#include "analyzer/image_pass.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_builder.h"

namespace ftprof {
namespace {

using test::StreamBuilder;
using test::TraceBuilder;
using trace::Api;

constexpr uint64_t kPage = 4096, kAt = 0x7f0000000000;
constexpr uint32_t kMain = 100, kOther = 101, kPages = 64;

class ReuseTest : public testing::Test {
 protected:
  ReuseTest() {
    trace_.process(kMain);
    trace_.attribute(1001, "faults.source", "perf");
    trace_.stack(1002, 1, {0x1000, 0x2000});
  }
  void hand_out(uint64_t at, uint32_t resident, double weight = 1, uint32_t tid = kMain,
                uint32_t in_call = 0) {
    trace::Block event = TraceBuilder::plain_block(tid, 1, Api::malloc, kAt, kPages * kPage);
    event.probed_pages = kPages;
    event.resident_pages = resident;
    event.in_call_minor = in_call;
    event.call_ns = 50;
    event.weight = weight;
    trace_.blocks().add(at, event);
  }
  void give_back(uint64_t at, uint32_t kept, uint32_t tid = kMain) {
    trace_.blocks().add(at, trace::Release{tid, Api::free, kAt, kPages, kPages, 0, 0});
    trace_.blocks().add(at + 10, trace::Released{tid, kAt, kPages * kPage, 20, true, kPages, kept});
  }
  void touch(uint64_t at, size_t pages, uint64_t from = kAt) {
    StreamBuilder::Samples samples(pages, {10, 1000});
    samples[0].first = 0;
    trace_.faults().run(at, {kMain, 0x5000, from, 0}, samples);
  }
  void look_at_idle(uint64_t at, uint32_t resident) {
    trace_.blocks().add(at, trace::Residency{kAt, kPages * kPage, 1, kPages, resident, 0, 0, 0});
  }
  ImageTally read() {
    trace_.finish();
    return read_image(folder_.path() / "app.100");
  }

  test::TemporaryFolder folder_;
  TraceBuilder trace_{folder_.path() / "app.100"};
};

TEST_F(ReuseTest, ASampledBlockCountsForAllThatItStandsFor) {
  hand_out(2000, 0, 4);
  touch(2100, kPages);
  give_back(3000, kPages);
  hand_out(4000, kPages, 2.5, kOther);
  trace_.blocks().add(4010, trace::Placement{kOther, 1, kAt, kPages * kPage, 0, 2, 2},
                      StreamBuilder::bytes_of<uint64_t>(2));  // both sampled pages on node 0
  give_back(5000, 0, kOther);
  hand_out(6000, 0, 2.5);
  touch(6100, kPages);
  trace_.finish();
  Result result = analyze({folder_.path().string()});
  const Reuse& reuse = result.sites.at(0).reuse;
  EXPECT_EQ(reuse.fresh, 4u);
  EXPECT_EQ(reuse.warm, 3u);  // 2.5
  EXPECT_EQ(reuse.cross_thread, 3u);
  EXPECT_EQ(reuse.cross_node, 3u);
  EXPECT_EQ(reuse.warm_pages, 160u);
  EXPECT_EQ(reuse.kept_resident_pages, 4u * kPages);
  EXPECT_EQ(reuse.purged_pages, 160u);
  EXPECT_EQ(reuse.refaulted_after_purge_pages, 160u);
  const Pool& pool = result.pool;
  EXPECT_EQ(pool.handouts, 10u);
  EXPECT_EQ(pool.cross_node, 3u);
  EXPECT_EQ(pool.resident_pages_at_handout, 160u);
  ASSERT_EQ(pool.feeds.size(), 1u);
  EXPECT_EQ(pool.feeds[0].pages, 160u);
  EXPECT_EQ(pool.feeds[0].cross_node_pages, 160u);
  EXPECT_EQ(pool.idle_peak_bytes, kPages * kPage);  // the unrecorded ones lie here too
}

TEST_F(ReuseTest, PagesFoundGoneAtTheNextHandOutWerePurged) {
  hand_out(2000, 0);
  touch(2100, kPages);
  give_back(3000, kPages);
  hand_out(4000, 8);  // the heap was trimmed in between, by a call inside libc
  touch(4100, kPages - 8, kAt + 8 * kPage);
  ImageTally tally = read();
  EXPECT_EQ(tally.sites[0].reuse.cold, 0);
  EXPECT_EQ(tally.sites[0].reuse.partial, 1);
  EXPECT_EQ(tally.sites[0].reuse.purged_pages, kPages - 8);
  EXPECT_EQ(tally.sites[0].reuse.refaulted_after_purge_pages, kPages - 8);
}

TEST_F(ReuseTest, PagesThatASnapshotFindsGoneWerePurged) {
  hand_out(2000, 0);
  touch(2100, kPages);
  give_back(3000, kPages);
  look_at_idle(3500, kPages);
  look_at_idle(4000, 16);
  ImageTally tally = read();
  EXPECT_EQ(tally.sites[0].reuse.purged_pages, kPages - 16);
  EXPECT_EQ(tally.idle_peak_bytes, kPages * kPage);
  EXPECT_EQ(tally.idle_at_end_bytes, 16 * kPage);
}

TEST_F(ReuseTest, APageThatTheCallFaultsInAgainIsARefault) {
  hand_out(2000, 0);
  touch(2100, kPages);
  give_back(3000, 0);
  touch(3990, 1);
  hand_out(4000, 1, 1, kMain, 1);
  touch(4100, kPages - 1, kAt + kPage);
  ImageTally tally = read();
  EXPECT_EQ(tally.sites[0].in_call, 1);
  EXPECT_EQ(tally.sites[0].reuse.cold, 1);
  EXPECT_EQ(tally.sites[0].reuse.refaulted_after_purge_pages, kPages);
}

}  // namespace
}  // namespace ftprof
