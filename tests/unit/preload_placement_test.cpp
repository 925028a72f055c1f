// Which pages of a block are asked for their node, and what the kernel says of them here.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <set>

#include "preload/placement.h"
#include "preload/slots.h"
#include "preload/state.h"

namespace ftprof {
namespace {

int events = 0;

}  // namespace

uint64_t emit_block_event(uint8_t id, const void*, size_t, Span, Span) {
  events += id == trace::Placement::kId;
  return 1;
}

namespace {

constexpr size_t kPage = 4096;

std::set<size_t> pick(size_t pages) {
  size_t picked[kPlacedPages];
  size_t count = pick_pages(pages, picked);
  std::set<size_t> set(picked, picked + count);
  EXPECT_EQ(set.size(), count);
  return set;
}

TEST(PickPages, AllOfASmallBlock) {
  EXPECT_TRUE(pick(0).empty());
  for (size_t pages : {size_t{1}, size_t{7}, kPlacedPages}) {
    std::set<size_t> set = pick(pages);
    EXPECT_EQ(set.size(), pages);
    EXPECT_EQ(*set.rbegin(), pages - 1);
  }
}

TEST(PickPages, EveryPartOfALargeBlock) {
  for (size_t pages : {size_t{65}, size_t{100}, size_t{16384}, size_t{1} << 36}) {
    std::set<size_t> set = pick(pages);
    EXPECT_EQ(set.size(), kPlacedPages);
    EXPECT_LT(*set.begin(), (pages + kPlacedPages - 1) / kPlacedPages);
    EXPECT_GE(*set.rbegin(), pages / kPlacedPages * (kPlacedPages - 1));
    EXPECT_LT(*set.rbegin(), pages);
  }
}

TEST(PickPages, InterleavedNodesAreAllMet) {
  for (size_t nodes : {2, 4, 8}) {
    std::set<size_t> met;
    for (size_t page : pick(16384)) met.insert(page % nodes);
    EXPECT_EQ(met.size(), nodes);
  }
}

class CountNodes : public testing::Test {
 protected:
  CountNodes() {
    g_state.page_bytes = kPage;
    g_state.page_shift = 12;
    memory_ = static_cast<char*>(
        mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    madvise(memory_, kPages * kPage, MADV_NOHUGEPAGE);
  }
  ~CountNodes() { munmap(memory_, kPages * kPage); }
  uintptr_t address() const { return reinterpret_cast<uintptr_t>(memory_); }

  static constexpr size_t kPages = 40;
  char* memory_;
};

TEST_F(CountNodes, OnlyResidentPagesHaveANode) {
  EXPECT_EQ(count_nodes(address(), kPages * kPage).sampled, 0u);
  for (size_t i = 0; i < 10; ++i) memory_[i * kPage] = 1;
  NodeCounts counts = count_nodes(address(), kPages * kPage);
  EXPECT_EQ(counts.sampled, 10u);
  uint32_t sum = 0;
  for (uint32_t i = 0; i < counts.nodes; ++i) sum += counts.counts[i];
  EXPECT_EQ(sum, counts.sampled);
}

TEST_F(CountNodes, OnlyWholePagesCount) {
  for (size_t i = 0; i < kPages; ++i) memory_[i * kPage] = 1;
  EXPECT_EQ(count_nodes(address() + 16, 3 * kPage).sampled, 2u);
  EXPECT_EQ(count_nodes(address() + 16, 100).sampled, 0u);
}

TEST_F(CountNodes, OneNodeIsNotAskedAbout) {
  memory_[0] = 1;
  events = 0;
  set_nodes(1);
  record_placement({}, trace::PlacementMoment::hand_out, address(), kPages * kPage);
  EXPECT_EQ(events, 0);
  set_nodes(2);
  record_placement({}, trace::PlacementMoment::hand_out, address(), kPages * kPage);
  EXPECT_EQ(events, 1);
  record_placement({}, trace::PlacementMoment::hand_out, address() + kPage, kPage);
  EXPECT_EQ(events, 1);
}

}  // namespace
}  // namespace ftprof
