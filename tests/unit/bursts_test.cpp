// Faults recorded in bursts stand for the gaps between them: the weights, what is shared out, and
// that every table of the result adds up to the bill.
#include "analyzer/bursts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "analyzer/analyze.h"
#include "analyzer/image_bill.h"
#include "analyzer/image_pass.h"
#include "analyzer/payments.h"
#include "analyzer/unseen.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_builder.h"

namespace ftprof {
namespace {

using test::StreamBuilder;
using test::TraceBuilder;
using trace::Api;

constexpr uint64_t kPage = 4096, kAt = 0x7f0000000000, kMs = 1'000'000;
constexpr uint32_t kMain = 100;

TEST(ShareOut, ErrorsMoveExpectationsToTheSum) {
  std::vector<Unseen> both = {{100, 10}, {50, 20}};
  EXPECT_DOUBLE_EQ(share_out(both, 160), 0);
  EXPECT_NEAR(both[0].faults, 102, 0.01);
  EXPECT_NEAR(both[1].faults, 58, 0.01);
}

TEST(ShareOut, NobodyIsGivenMoreThanThreeStandardErrors) {
  std::vector<Unseen> one = {{100, 10}};
  EXPECT_NEAR(share_out(one, 1000), 870, 0.01);
  EXPECT_NEAR(one[0].faults, 130, 0.01);
}

TEST(ShareOut, TheSumHoldsWhenItIsLess) {
  std::vector<Unseen> both = {{100, 1}, {50, 0}};
  EXPECT_EQ(share_out(both, 30), 0);
  EXPECT_NEAR(both[0].faults + both[1].faults, 30, 0.01);
  std::vector<Unseen> certain = {{100, 0}, {50, 0}};
  EXPECT_EQ(share_out(certain, 30), 0);
  EXPECT_NEAR(certain[0].faults, 20, 0.01);
}

TEST(ShareOut, AMostIsAMost) {
  std::vector<Unseen> both = {{100, 50, 110}, {0, 0}};
  EXPECT_NEAR(share_out(both, 150), 40, 0.01);
  EXPECT_NEAR(both[0].faults, 110, 0.01);
}

// A main thread that touches page after page, 1000 ns each.
class BurstsTest : public testing::Test {
 protected:
  BurstsTest() {
    trace_.process(kMain);
    trace_.attribute(1001, "faults.source", "perf");
    trace_.attribute(1002, "setting.faults.period", "auto");
    trace_.stack(1003, 1, {0x1000, 0x2000});
    trace_.stack(1003, 2, {0x1500, 0x2000});
  }
  void window(uint64_t at, bool on) { trace_.faults().add(at, trace::Window{on, on}); }
  void usage(uint64_t at, uint64_t faults, bool final = false, uint64_t own = 0) {
    trace_.usage(at, faults, final, own);
  }
  void block(uint64_t at, uint64_t addr, uint64_t pages, uint32_t stack = 1) {
    trace::Block event = TraceBuilder::plain_block(kMain, stack, Api::mmap, addr, pages * kPage);
    event.probed_pages = static_cast<uint32_t>(pages);
    event.resident_pages = 0;
    trace_.blocks().add(at, event);
  }
  void look(uint64_t at, uint64_t addr, uint32_t pages, uint32_t resident, uint32_t zero) {
    trace_.blocks().add(at, trace::Residency{addr, pages * kPage, 0, pages, resident, zero, 0, 0});
  }
  void release(uint64_t at, uint64_t addr, uint32_t pages, uint32_t resident, uint32_t zero = 0) {
    trace_.blocks().add(at, trace::Release{kMain, Api::munmap, addr, pages, resident, zero, 0});
  }
  void touch(uint64_t at, uint64_t addr, size_t pages, uint64_t ip = 0x5000, uint16_t cost = 1000) {
    StreamBuilder::Samples samples(pages, {1000, cost});
    samples[0].first = 0;
    trace_.faults().run(at, {kMain, ip, addr, 0}, samples);
  }
  // Pages that were read and are the zero page when they are recorded.
  void load(uint64_t at, uint64_t addr, size_t pages, uint64_t ip = 0x7000) {
    trace_.faults().add(at, trace::ZeroPages{addr, static_cast<uint32_t>(pages)});
    touch(at, addr, pages, ip, 500);
  }
  ImageTally read() {
    trace_.finish();
    return read_image(folder_.path() / "app.100");
  }
  // Two bursts of 600 in a pass over 10,000 pages at kAt: 2000 to 2600, and 7000 to 7600.
  void one_pass() {
    window(2 * kMs, true);
    block(2 * kMs + 1, kAt, 10'000);
    touch(2 * kMs + 10, kAt + 2000 * kPage, 600);
    window(3 * kMs, false);
    usage(3 * kMs, 2600);
    window(7 * kMs, true);
    usage(7 * kMs, 7000);
    touch(7 * kMs + 10, kAt + 7000 * kPage, 600);
    window(8 * kMs, false);
    usage(8 * kMs, 7600);
  }
  static double faults(const ImageBill& bill, Owner owner) {
    return bill.rows[static_cast<int>(owner)].faults;
  }

  test::TemporaryFolder folder_;
  TraceBuilder trace_{folder_.path() / "app.100"};
};

TEST_F(BurstsTest, TheEdgesOfAWindowStandForTheGapBesideIt) {
  one_pass();
  usage(10 * kMs, 10'000, true);
  trace_.finish();
  Bursts bursts = find_bursts(folder_.path() / "app.100");
  ASSERT_EQ(bursts.windows().size(), 2u);
  uint64_t first = 2 * kMs + 10, second = 7 * kMs + 10;
  EXPECT_EQ(bursts.at(first).faults(), 0);  // the beginning of the run has no gap before it
  EXPECT_EQ(bursts.at(first + 300'000).faults(), 0);
  EXPECT_DOUBLE_EQ(bursts.at(first + 599'000).after, 2200.0 / 256);
  EXPECT_DOUBLE_EQ(bursts.at(second).before, 2200.0 / 256);
  EXPECT_EQ(bursts.at(second + 300'000).faults(), 0);
  EXPECT_DOUBLE_EQ(bursts.at(second + 599'000).after, 2400.0 / 256);
  EXPECT_EQ(bursts.at(first + 599'000).to_ns, 5 * kMs);
  EXPECT_EQ(bursts.at(second).from_ns, 5 * kMs);
}

TEST_F(BurstsTest, WhatCallsAccountForIsNoGap) {
  window(2 * kMs, true);
  touch(2 * kMs + 10, kAt, 10);
  window(3 * kMs, false);
  usage(3 * kMs, 10);
  trace::Block event =
      TraceBuilder::plain_block(kMain, 1, Api::mmap, kAt + (1 << 30), 5000 * kPage);
  event.in_call_minor = 5000;
  trace_.blocks().add(4 * kMs, event);
  usage(6 * kMs, 5110, true);
  trace_.finish();
  Bursts bursts = find_bursts(folder_.path() / "app.100");
  ASSERT_EQ(bursts.windows().size(), 1u);
  EXPECT_DOUBLE_EQ(bursts.windows()[0].gap_after, 100);
}

TEST_F(BurstsTest, AWindowWithoutFaultsLeavesItsGapsToTheOthers) {
  one_pass();
  window(9 * kMs, true);
  usage(9 * kMs, 9000);
  window(10 * kMs, false);
  usage(10 * kMs, 9000);
  usage(11 * kMs, 10'000, true);
  trace_.finish();
  Bursts bursts = find_bursts(folder_.path() / "app.100");
  ASSERT_EQ(bursts.windows().size(), 2u);
  EXPECT_DOUBLE_EQ(bursts.windows()[1].gap_after, 2400);
}

TEST_F(BurstsTest, ARunThatIsRecordedThroughoutHasNoBursts) {
  window(2 * kMs, true);
  touch(2 * kMs + 10, kAt, 10);
  usage(6 * kMs, 10, true);
  trace_.finish();
  EXPECT_TRUE(find_bursts(folder_.path() / "app.100").empty());
}

TEST_F(BurstsTest, PagesDecideOnFirstTouches) {
  one_pass();
  release(9 * kMs, kAt, 10'000, 10'000);
  usage(10 * kMs, 10'000, true);
  ImageBill bill = make_bill(read());
  EXPECT_EQ(faults(bill, Owner::blocks), 10'000);
  EXPECT_EQ(faults(bill, Owner::unattributed), 0);
  EXPECT_EQ(bill.sites[0].unseen_again, 0);
  EXPECT_EQ(bill.sites[0].error, 0);
}

TEST_F(BurstsTest, WhatLostItsZeroPageWasPaidForTwice) {
  one_pass();
  look(8 * kMs + 1, kAt, 10'000, 10'000, 8000);
  release(9 * kMs, kAt, 10'000, 10'000, 500);
  usage(10 * kMs, 19'400, true);
  ImageTally tally = read();
  ImageBill bill = make_bill(tally);
  EXPECT_EQ(tally.sites[0].zero_lost, 7500);
  EXPECT_NEAR(bill.sites[0].unseen_again, 9400, 1);
  EXPECT_NEAR(faults(bill, Owner::blocks), 19'400, 1);
  EXPECT_NEAR(faults(bill, Owner::unattributed), 0, 1);
}

TEST_F(BurstsTest, WithoutASignOfLoadsNoFaultIsCalledASecondOne) {
  one_pass();
  release(9 * kMs, kAt, 10'000, 10'000, 0);
  usage(10 * kMs, 19'400, true);
  ImageBill bill = make_bill(read());
  EXPECT_EQ(bill.sites[0].unseen_again, 0);
  EXPECT_EQ(faults(bill, Owner::unattributed), 9400);
}

TEST_F(BurstsTest, OtherOwnersHaveTheGapAsTheBurstsShowIt) {
  trace_.mapping(1500, {1, kAt, kAt + 20'000 * kPage, 0, 0, 3, 0}, "[heap]");
  usage(1600, 0);
  window(2 * kMs, true);
  touch(2 * kMs + 10, kAt, 300);
  window(3 * kMs, false);
  usage(3 * kMs, 300);
  window(7 * kMs, true);
  usage(7 * kMs, 4300);
  touch(7 * kMs + 10, kAt + 4300 * kPage, 300);
  usage(9 * kMs, 4600, true);
  ImageBill bill = make_bill(read());
  EXPECT_NEAR(faults(bill, Owner::small_heap), 4600, 1e-6);
  EXPECT_NEAR(*bill.rows[static_cast<int>(Owner::small_heap)].cost_ns, 4'600'000, 1);
}

TEST_F(BurstsTest, LoadsAndStoresHavePricesAndCodeOfTheirOwn) {
  trace_.attribute(1004, "faults.reads", "known");
  window(2 * kMs, true);
  block(2 * kMs + 1, kAt, 10'000);
  load(2 * kMs + 10, kAt, 600);
  window(3 * kMs, false);
  usage(3 * kMs, 600);
  window(7 * kMs, true);
  usage(7 * kMs, 11'000);
  touch(7 * kMs + 10, kAt + 1000 * kPage, 600);
  window(8 * kMs, false);
  usage(8 * kMs, 11'600);
  look(8 * kMs + 1, kAt, 10'000, 10'000, 8400);
  release(9 * kMs, kAt, 10'000, 10'000, 0);
  usage(10 * kMs, 20'000, true);
  trace_.finish();
  Result result = analyze({folder_.path().string()}, {});
  ASSERT_EQ(result.sites.size(), 1u);
  const Site& site = result.sites[0];
  EXPECT_EQ(site.faults.zero_read, 10'000u);
  EXPECT_EQ(site.faults.write_after_zero_read, 10'000u);
  EXPECT_EQ(site.faults.write, 0u);
  EXPECT_NEAR(site.cost.total_ns, 10'000 * 500 + 10'000 * 1000, 10);
  ASSERT_EQ(site.touch_sites.size(), 1u);  // one function, for nothing names the two addresses
  EXPECT_EQ(site.touch_sites[0].faults, 20'000u);
}

TEST_F(BurstsTest, WhatNobodyTimedCostsWhatSmallPagesCost) {
  window(2 * kMs, true);
  block(2 * kMs + 1, kAt, 512);
  touch(2 * kMs + 10, kAt, 1, 0x5000, 60'000);  // a huge page
  block(3 * kMs, kAt + (1 << 30), 64, 2);
  touch(3 * kMs + 10, kAt + (1 << 30), 64);
  trace_.blocks().add(4 * kMs, trace::Release{kMain, Api::munmap, kAt, 512, 512, 0, 512});
  usage(9 * kMs, 165, true);
  ImageBill bill = make_bill(read());
  EXPECT_EQ(faults(bill, Owner::unattributed), 100);
  EXPECT_DOUBLE_EQ(*bill.rows[static_cast<int>(Owner::unattributed)].cost_ns, 100'000);
}

TEST_F(BurstsTest, EveryTableAddsUpToTheBill) {
  trace::Opening opening{};
  opening.minor = 300, opening.file = 200, opening.stack = 100;
  trace_.blocks().add(1100, opening);
  one_pass();
  trace_.mark(8 * kMs + 2, kMain, "late");
  look(8 * kMs + 3, kAt, 10'000, 10'000, 5000);
  release(9 * kMs, kAt, 10'000, 10'000, 0);
  usage(10 * kMs, 17'777, true, 33);
  trace_.finish();
  Result result = analyze({folder_.path().string()}, {});
  uint64_t all = 17'777, slices = 0, phases = 0, rows = 0;
  double cost = result.ledger.cost_ns, slice_cost = 0;
  for (const FaultSlice& slice : result.slices) slices += slice.faults, slice_cost += slice.cost_ns;
  for (const Phase& phase : result.phases) phases += phase.faults;
  for (const LedgerRow& row : result.ledger.rows) rows += row.faults;
  const auto& timeline = result.timeline;
  EXPECT_EQ(rows, all);
  EXPECT_EQ(slices, all);
  EXPECT_EQ(phases, all);
  EXPECT_EQ(std::accumulate(timeline.faults.begin(), timeline.faults.end(), uint64_t{0}), all);
  EXPECT_NEAR(slice_cost, cost, 1);
  EXPECT_NEAR(std::accumulate(timeline.fault_ns.begin(), timeline.fault_ns.end(), 0.0), cost, 1);
  EXPECT_EQ(result.phases.size(), 2u);
  EXPECT_GT(result.phases[1].faults, 1000u);  // half of the last gap, and what no burst saw
}

TEST(UsualCost, IsNotMovedByOneThatLostItsCpu) {
  UsualCost usual;
  for (int i = 0; i < 100; ++i) usual.saw(3000);
  double before = usual.most_ns();
  usual.saw(4e6);
  EXPECT_NEAR(usual.most_ns(), before, before / 10);
}

TEST(UsualCost, BoundsWhatAFaultSaysOfOthersNotOfItself) {
  uint32_t costs[] = {3000, 4000000};
  FaultPart part;
  part.faults = 2, part.period = 100, part.costs = costs, part.stand_in_most_ns = 96000;
  FaultSum sum = sum_of(part);
  EXPECT_EQ(sum.faults, 200);
  EXPECT_EQ(sum.cost_ns, 100 * 3000 + 4000000 + 99 * 96000);
}

}  // namespace
}  // namespace ftprof
