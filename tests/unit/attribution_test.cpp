// How a fault finds its owner, and a block its kinds: small traces with known answers.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "analyzer/image_bill.h"
#include "analyzer/image_pass.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_builder.h"

namespace ftprof {
namespace {

using test::StreamBuilder;
using test::TraceBuilder;
using trace::Api;

constexpr uint64_t kPage = 4096, kAt = 0x7f0000000000;
constexpr uint32_t kMain = 100;

StreamBuilder::Samples evenly(size_t faults, uint16_t cost = 1000, uint16_t gap = 10) {
  StreamBuilder::Samples samples(faults, {gap, cost});
  samples[0].first = 0;
  return samples;
}

class AttributionTest : public testing::Test {
 protected:
  AttributionTest() {
    trace_.process(kMain);
    trace_.attribute(1001, "faults.source", "perf");
    trace_.stack(1002, 1, {0x1000, 0x2000});
    trace_.stack(1003, 2, {0x1500, 0x2000});
  }
  // A block of whole pages, all of them looked up.
  void block(uint64_t at, uint64_t addr, uint64_t pages, uint32_t resident = 0, Api api = Api::mmap,
             uint32_t stack = 1, uint32_t call_ns = 50, uint32_t in_call_minor = 0) {
    trace::Block event = TraceBuilder::plain_block(kMain, stack, api, addr, pages * kPage);
    event.call_ns = call_ns;
    event.in_call_minor = in_call_minor;
    event.probed_pages = static_cast<uint32_t>(pages);
    event.resident_pages = resident;
    trace_.blocks().add(at, event);
  }
  void release(uint64_t at, uint64_t addr, uint32_t pages, uint32_t resident, uint32_t zero = 0,
               uint32_t huge = 0, Api api = Api::munmap) {
    trace_.blocks().add(at, trace::Release{kMain, api, addr, pages, resident, zero, huge});
  }
  void released(uint64_t at, uint64_t addr, uint64_t pages, bool mapped, uint32_t resident) {
    trace_.blocks().add(at, trace::Released{kMain, addr, pages * kPage, 20, mapped,
                                            static_cast<uint32_t>(pages), resident});
  }
  void touch(uint64_t at, uint64_t addr, size_t pages, uint32_t tid = kMain) {
    trace_.faults().run(at, {tid, 0x5000, addr, 0}, evenly(pages));
  }
  ImageTally read() {
    trace_.finish();
    return read_image(folder_.path() / "app.100");
  }
  static double faults(const ImageBill& bill, Owner owner) {
    return bill.rows[static_cast<int>(owner)].faults;
  }

  test::TemporaryFolder folder_;
  TraceBuilder trace_{folder_.path() / "app.100"};
};

TEST_F(AttributionTest, FirstStoresAreWritesAndTheRowsAddUp) {
  block(2000, kAt, 64);
  touch(3000, kAt, 64);
  release(9000, kAt, 64, 64);
  trace_.usage(9999, 70);
  ImageTally tally = read();
  ASSERT_EQ(tally.sites.size(), 1u);
  EXPECT_EQ(tally.sites[0].write, 64);
  EXPECT_EQ(tally.sites[0].touched, 64);
  EXPECT_EQ(tally.sites[0].kernel_copy, 0);
  ImageBill bill = make_bill(tally);
  EXPECT_EQ(faults(bill, Owner::blocks), 64);
  EXPECT_EQ(faults(bill, Owner::unattributed), 6);
  EXPECT_DOUBLE_EQ(bill.sites[0].cost_ns, 64'000);
}

TEST_F(AttributionTest, TheCalibratedExcessIsTakenOff) {
  block(2000, kAt, 8);
  touch(3000, kAt, 8);
  release(9000, kAt, 8, 8);
  trace_.blocks().add(9500, trace::Price{0, 800, 5, 200});
  EXPECT_DOUBLE_EQ(make_bill(read()).sites[0].cost_ns, 8 * 800.0);
}

TEST_F(AttributionTest, AReadThenAWriteIsPaidTwice) {
  block(2000, kAt, 64);
  touch(3000, kAt, 64);
  touch(5000, kAt, 32);
  release(9000, kAt, 64, 64, 32);
  ImageTally tally = read();
  EXPECT_EQ(tally.sites[0].zero_read, 64);
  EXPECT_EQ(tally.sites[0].write_after_zero_read, 32);
  EXPECT_EQ(tally.sites[0].write, 0);
  EXPECT_EQ(tally.sites[0].zero, 32);
}

// Loads, stores and stores after loads in one site; some of each without a time of their own.
TEST_F(AttributionTest, KindsAndCellsOfAMixedSiteAddUpToIt) {
  trace_.attribute(1004, "faults.reads", "known");
  block(2000, kAt, 64);
  auto samples = [](size_t faults, uint16_t cost, bool all_timed) {
    StreamBuilder::Samples some = evenly(faults, cost);
    for (size_t i = 0; !all_timed && i < faults; i += 2) some[i].second = trace::kNotTimed;
    return some;
  };
  trace_.faults().add(3000, trace::ZeroPages{kAt, 8});
  trace_.faults().run(3000, {kMain, 0x5000, kAt, 0}, samples(8, 300, true));
  trace_.faults().run(4000, {kMain, 0x6000, kAt + 8 * kPage, 0}, samples(16, 1000, false));
  trace_.faults().run(5000, {kMain, 0x7000, kAt, 0}, samples(24, 2000, false));
  release(9000, kAt, 64, 24);
  trace_.usage(9999, 48);
  ImageTally tally = read();
  ImageBill bill = make_bill(tally);
  const SiteBill& site = bill.sites[0];
  EXPECT_EQ(tally.sites[0].zero_read, 24);
  EXPECT_EQ(tally.sites[0].write_after_zero_read, 24);
  ASSERT_TRUE(site.by_kind_ns[1] && site.by_kind_ns[2]);
  EXPECT_DOUBLE_EQ(*site.by_kind_ns[1], 8 * 300 + 16 * 1000);
  EXPECT_DOUBLE_EQ(*site.by_kind_ns[2], 24 * 2000);
  double cells = 0;
  tally.cells.for_each(
      [&](const CellKey& key, const FaultSum& sum) { cells += bill_cell(bill, key, sum).cost_ns; });
  EXPECT_DOUBLE_EQ(cells, site.cost_ns);
}

TEST_F(AttributionTest, AHugePageTakesOneFault) {
  uint64_t addr = kAt + (1 << 20);  // not aligned to a huge page
  block(2000, addr, 3 * 512);
  touch(3000, kAt + (2 << 20), 1);
  touch(3100, kAt + (4 << 20), 1);
  touch(3200, addr, 3);
  release(9000, addr, 3 * 512, 2 * 512 + 3, 0, 2 * 512);
  ImageTally tally = read();
  EXPECT_EQ(tally.sites[0].huge_faults, 2);
  EXPECT_EQ(tally.sites[0].write, 3);
  EXPECT_EQ(tally.sites[0].kernel_copy, 0);
  EXPECT_EQ(tally.sites[0].huge, 1024);
}

TEST_F(AttributionTest, PagesThatCameWithoutAFaultAreKernelCopies) {
  block(2000, kAt, 64);
  touch(3000, kAt, 16);
  release(9000, kAt, 64, 64);
  ImageTally tally = read();
  EXPECT_EQ(tally.sites[0].write, 16);
  EXPECT_EQ(tally.sites[0].kernel_copy, 48);
  EXPECT_EQ(faults(make_bill(tally), Owner::kernel_copy), 48);
}

TEST_F(AttributionTest, FaultsInsideTheCallAreTheBlocks) {
  touch(3000, kAt, 16);  // calloc clears before the block is known
  trace_.faults().add(3500, trace::Fault{kMain, 0x6000, kAt - 3 * kPage, 700, 0});
  block(4000, kAt + 16, 32, 15, Api::calloc, 1, 1500, 17);
  touch(5000, kAt + 16 * kPage, 16);
  ImageTally tally = read();
  EXPECT_EQ(tally.sites[0].in_call, 16);
  EXPECT_EQ(tally.sites[0].write, 16);
  EXPECT_EQ(tally.sites[0].reuse.fresh, 1u);
}

TEST_F(AttributionTest, WhatTheThreadTouchedBeforeTheCallIsNotInTheCall) {
  touch(3000, kAt, 4);
  block(9000, kAt, 32, 4, Api::malloc, 1, 100);
  ImageTally tally = read();
  EXPECT_EQ(tally.sites[0].in_call, 0);
  EXPECT_EQ(faults(make_bill(tally), Owner::blocks), 0);
}

TEST_F(AttributionTest, PopulatedPagesAreInTheCallAndFresh) {
  trace::Block event = TraceBuilder::plain_block(kMain, 1, Api::mmap, kAt, 64 * kPage);
  event.flags = trace::kPopulated;
  event.call_ns = 40'000;
  event.in_call_minor = event.probed_pages = event.resident_pages = 64;
  trace_.blocks().add(50'000, event);
  release(60'000, kAt, 64, 64);
  ImageTally tally = read();
  EXPECT_EQ(tally.sites[0].in_call, 64);
  EXPECT_EQ(tally.sites[0].kernel_copy, 0);
  EXPECT_EQ(tally.sites[0].reuse.fresh, 1u);
  EXPECT_DOUBLE_EQ(make_bill(tally).sites[0].cost_ns, 40'000);
}

TEST_F(AttributionTest, TheInnermostBlockPays) {
  block(2000, kAt, 64);
  block(2100, kAt + 8 * kPage, 8, 0, Api::pool, 2);
  touch(3000, kAt, 64);
  ImageTally tally = read();
  EXPECT_EQ(tally.sites[0].write, 56);
  EXPECT_EQ(tally.sites[1].write, 8);
}

TEST_F(AttributionTest, ARunIsSplitWhereABlockBegins) {
  block(2000, kAt, 8);
  trace_.faults().run(3000, {kMain, 0x5000, kAt, 0}, evenly(16, 1000, 100));
  release(3750, kAt, 8, 8);
  block(3760, kAt + 8 * kPage, 8, 0, Api::mmap, 2, 5);
  ImageTally tally = read();
  EXPECT_EQ(tally.sites[0].write, 8);
  EXPECT_EQ(tally.sites[1].write, 8);
}

TEST_F(AttributionTest, MapsDecideWhoseTheRestIs) {
  uint32_t pass = 1;
  auto map = [&](uint64_t begin, uint64_t pages, uint8_t prot, const std::string& name,
                 uint64_t inode = 0) {
    trace_.mapping(2000, {pass, begin, begin + pages * kPage, 0, inode, prot, 0}, name);
  };
  map(0x400000, 16, PROT_READ | PROT_EXEC, "/bin/app", 7);
  map(0x600000, 16, PROT_READ | PROT_WRITE, "[heap]");
  map(0x10000000, 1, PROT_NONE, "");
  map(0x10001000, 16, PROT_READ | PROT_WRITE, "");
  map(0x14000000, 16, PROT_READ | PROT_WRITE, "");
  map(0x14010000, 16368, PROT_NONE, "");
  map(0x30000000, 16, PROT_READ | PROT_WRITE, "");
  trace_.usage(2100, 0, false);
  for (uint64_t addr : {0x400000ul, 0x600000ul, 0x10001000ul, 0x14000000ul, 0x30000000ul})
    touch(3000, addr, 2);
  trace_.usage(9000, 10);
  ImageBill bill = make_bill(read());
  EXPECT_EQ(faults(bill, Owner::file), 2);
  EXPECT_EQ(faults(bill, Owner::small_heap), 4);
  EXPECT_EQ(faults(bill, Owner::stack), 2);
  EXPECT_EQ(faults(bill, Owner::other_anonymous), 2);
  EXPECT_EQ(faults(bill, Owner::unattributed), 0);
}

TEST_F(AttributionTest, ClassesOfHandOuts) {
  block(2000, kAt, 64, 0, Api::malloc);  // fresh
  touch(2100, kAt, 64);
  release(3000, kAt, 64, 64, 0, 0, Api::free);
  released(3050, kAt, 64, true, 64);
  block(4000, kAt, 64, 64, Api::malloc);  // warm
  release(5000, kAt, 64, 64, 0, 0, Api::free);
  released(5050, kAt, 64, false, 0);     // given back to the kernel
  block(6000, kAt, 64, 0, Api::malloc);  // cold
  touch(6100, kAt, 64);
  block(8000, kAt + 100 * kPage, 64, 32, Api::malloc, 2);  // partial
  ImageTally tally = read();
  const ReuseTally& reuse = tally.sites[0].reuse;
  EXPECT_EQ(reuse.fresh, 1u);
  EXPECT_EQ(reuse.warm, 1u);
  EXPECT_EQ(reuse.cold, 1u);
  EXPECT_EQ(reuse.warm_pages, 64u);
  EXPECT_EQ(reuse.purged_pages, 64u);
  EXPECT_EQ(reuse.refaulted_after_purge_pages, 64u);
  EXPECT_EQ(tally.sites[1].reuse.partial, 1u);
  EXPECT_EQ(tally.idle_peak_bytes, 64 * kPage);
}

TEST_F(AttributionTest, PurgedPagesArePaidForAgain) {
  block(2000, kAt, 64);
  touch(3000, kAt, 64);
  trace_.blocks().add(5000, trace::RangeOp{kMain, trace::RangeKind::advise, trace::Caller::program,
                                           MADV_DONTNEED, kAt, 64 * kPage, 10, 0, 64, 64, 0, 0});
  touch(6000, kAt, 32);
  release(9000, kAt, 64, 32);
  ImageTally tally = read();
  EXPECT_EQ(tally.sites[0].write, 96);
  EXPECT_EQ(tally.sites[0].touched, 64);
  EXPECT_EQ(tally.sites[0].kernel_copy, 0);
  EXPECT_EQ(tally.sites[0].reuse.refaulted_after_purge_pages, 32u);
}

TEST_F(AttributionTest, ReallocMovesThePages) {
  block(2000, kAt, 32, 0, Api::malloc);
  touch(2100, kAt, 32);
  release(3000, kAt, 32, 32, 0, 0, Api::realloc);
  trace::Block moved =
      TraceBuilder::plain_block(kMain, 2, Api::realloc, kAt + 700 * kPage, 64 * kPage);
  moved.flags = trace::kMovedFromOld;
  moved.moved_from = kAt;
  moved.probed_pages = 64;
  moved.resident_pages = 32;
  moved.call_ns = 100;
  trace_.blocks().add(3200, moved);
  touch(4000, kAt + 732 * kPage, 32);
  release(9000, kAt + 700 * kPage, 64, 64, 0, 0, Api::free);
  ImageTally tally = read();
  EXPECT_EQ(tally.sites[0].write, 32);
  EXPECT_EQ(tally.sites[1].write, 32);
  EXPECT_EQ(tally.sites[1].kernel_copy, 0);
  EXPECT_EQ(tally.sites[1].touched, 64);
  EXPECT_EQ(tally.sites[1].reuse.partial, 1u);
}

TEST_F(AttributionTest, AFailedReleaseLeavesTheBlock) {
  block(2000, kAt, 32);
  touch(2100, kAt, 16);
  release(3000, kAt, 32, 16);
  trace::Block again = TraceBuilder::plain_block(kMain, 1, Api::mmap, kAt, 32 * kPage);
  again.flags = trace::kReinstated;
  trace_.blocks().add(3100, again);
  touch(4000, kAt + 16 * kPage, 16);
  release(9000, kAt, 32, 32);
  ImageTally tally = read();
  EXPECT_EQ(tally.sites[0].count, 1);
  EXPECT_EQ(tally.sites[0].write, 32);
}

TEST_F(AttributionTest, WithoutFaultEventsThePagesTell) {
  trace_.attribute(1900, "faults.source", "pagemap");
  block(2000, kAt, 64);
  release(3000, kAt, 64, 60, 10);
  trace_.blocks().add(9500, trace::Price{0, 500, 5, 0});
  trace_.blocks().add(9501, trace::Price{1, 200, 5, 0});
  ImageTally tally = read();
  tally.perf = false;
  EXPECT_EQ(tally.sites[0].touched, 60);
}

TEST_F(AttributionTest, SampledFaultsAreScaledByThePages) {
  trace_.faults().add(1500, trace::Window{7, 7});
  block(2000, kAt, 70);
  trace_.faults().run(3000, {kMain, 0x5000, kAt, 0}, evenly(5));
  trace_.faults().run(4000, {kMain, 0x5000, kAt + 30 * kPage, 0}, evenly(5));
  release(9000, kAt, 70, 70);
  trace_.usage(9900, 70);
  ImageTally tally = read();
  ImageBill bill = make_bill(tally);
  EXPECT_EQ(faults(bill, Owner::blocks), 70);
  EXPECT_EQ(faults(bill, Owner::unattributed), 0);
  EXPECT_DOUBLE_EQ(bill.sites[0].cost_ns, 70'000);
}

TEST_F(AttributionTest, TheSampleTellsOfSecondFaults) {
  constexpr uint32_t kPages = 70'000;
  trace_.faults().add(1500, trace::Window{7, 7});
  block(2000, kAt, kPages);
  uint64_t at = 3000;
  for (int pass = 0; pass < 2; ++pass)
    for (uint64_t i = 0; i < 100; ++i, at += 2000)
      touch(at, kAt + (i * 700 + pass * 300) * kPage, 100);
  release(at, kAt, kPages, kPages);
  trace_.usage(at + 100, 2 * kPages);
  ImageBill bill = make_bill(read());
  EXPECT_EQ(faults(bill, Owner::blocks), 140'000);
  EXPECT_EQ(bill.sites[0].unseen_again, 70'000);
  EXPECT_EQ(faults(bill, Owner::unattributed), 0);
}

TEST_F(AttributionTest, SampledBlocksStandForTheOthers) {
  trace::Block event = TraceBuilder::plain_block(kMain, 1, Api::malloc, kAt, 32 * kPage);
  event.weight = 4;
  event.probed_pages = 32;
  event.resident_pages = 0;
  trace_.blocks().add(2000, event);
  touch(3000, kAt, 32);
  for (uint64_t i = 1; i < 4; ++i) touch(3000 + i * 1000, kAt + i * 100 * kPage, 32);
  trace_.mapping(8000, {1, kAt + 100 * kPage, kAt + 400 * kPage, 0, 0, 3, 0}, "");
  release(9000, kAt, 32, 32, 0, 0, Api::free);
  trace_.usage(9900, 128);
  ImageBill bill = make_bill(read());
  EXPECT_EQ(faults(bill, Owner::blocks), 128);
  EXPECT_EQ(faults(bill, Owner::other_anonymous), 0);
  EXPECT_EQ(faults(bill, Owner::unattributed), 0);
}

TEST_F(AttributionTest, APartialUnmapShrinksTheBlock) {
  block(2000, kAt, 64);
  touch(2500, kAt, 64);
  trace_.blocks().add(5000, trace::RangeOp{kMain, trace::RangeKind::unmap, trace::Caller::program,
                                           0, kAt + 16 * kPage, 16 * kPage, 10, 0, 16, 16, 0, 0});
  block(6000, kAt + 16 * kPage, 16, 0, Api::mmap, 2);
  touch(7000, kAt + 16 * kPage, 16);
  ImageTally tally = read();
  EXPECT_EQ(tally.sites[0].write, 64);
  EXPECT_EQ(tally.sites[0].count, 1);
  EXPECT_EQ(tally.sites[1].write, 16);
  EXPECT_EQ(tally.sites[1].reuse.cold, 1u);
}

}  // namespace
}  // namespace ftprof
