// Page counts over real mappings, by each of the three ways.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/residency.h"
#include "preload/state.h"

namespace ftprof {

State g_state;

namespace {

constexpr size_t kPage = 4096;

class Pages {
 public:
  explicit Pages(size_t pages, size_t alignment = kPage) : bytes_(pages * kPage + alignment) {
    base_ = static_cast<char*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    uintptr_t address = reinterpret_cast<uintptr_t>(base_);
    first_ = base_ + ((alignment - address % alignment) % alignment);
  }
  ~Pages() { munmap(base_, bytes_); }
  volatile char& operator[](size_t page) { return first_[page * kPage]; }
  uintptr_t address() const { return reinterpret_cast<uintptr_t>(first_); }
  char* begin() const { return first_; }

 private:
  size_t bytes_;
  char* base_;
  char* first_;
};

void read_byte(volatile char& page) {
  char byte = page;
  (void)byte;
}

struct ResidencyTest : testing::TestWithParam<Sight> {
  void SetUp() override {
    g_state.page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    g_state.page_shift = static_cast<unsigned>(__builtin_ctzl(g_state.page_bytes));
    if (g_state.page_bytes != kPage) GTEST_SKIP() << "written for pages of 4 KiB";
    limit_residency_sight(Sight::untried);
    count_pages(reinterpret_cast<uintptr_t>(&g_state) & ~(kPage - 1), kPage, Effort::full);
    if (GetParam() == Sight::scan && residency_sight() != Sight::scan)
      GTEST_SKIP() << "this kernel has no PAGEMAP_SCAN (6.7)";
    limit_residency_sight(GetParam());
  }
  bool kinds() const { return GetParam() != Sight::presence; }
};

TEST_P(ResidencyTest, WrittenReadAndUntouchedPages) {
  Pages pages(1000);
  madvise(pages.begin(), 1000 * kPage, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < 1000; i += 4) pages[i] = 1;
  for (size_t i = 1; i < 1000; i += 4) read_byte(pages[i]);
  PageCounts counts = count_pages(pages.address(), 1000 * kPage, Effort::full);
  EXPECT_EQ(counts.probed, 1000U);
  EXPECT_EQ(counts.resident, 500U);
  EXPECT_EQ(counts.zero, kinds() ? 250U : trace::kUnknownPages);
  EXPECT_EQ(counts.swapped, kinds() ? 0U : trace::kUnknownPages);
  for (size_t i = 1; i < 1000; i += 4) pages[i] = 2;
  counts = count_pages(pages.address(), 1000 * kPage, Effort::full);
  EXPECT_EQ(counts.resident, 500U);
  if (kinds()) {
    EXPECT_EQ(counts.zero, 0U);
  }
}

TEST_P(ResidencyTest, OnlyWholePagesInside) {
  Pages pages(4);
  for (size_t i = 0; i < 4; ++i) pages[i] = 1;
  EXPECT_EQ(count_pages(pages.address() + 1, 3 * kPage, Effort::full).probed, 2U);
  EXPECT_EQ(count_pages(pages.address() + 1, 3 * kPage, Effort::full).resident, 2U);
  EXPECT_EQ(count_pages(pages.address() + 1, kPage, Effort::full).probed, 0U);
  EXPECT_EQ(count_pages(pages.address() + 1, kPage, Effort::full).resident, 0U);
}

TEST_P(ResidencyTest, AHoleIsNotResident) {
  Pages pages(5000);
  for (size_t i = 0; i < 5000; ++i) pages[i] = 1;
  munmap(const_cast<char*>(&pages[700]), 3 * kPage);
  PageCounts counts = count_pages(pages.address(), 5000 * kPage, Effort::full);
  EXPECT_EQ(counts.probed, 5000U);
  EXPECT_EQ(counts.resident, 4997U);
}

TEST_P(ResidencyTest, ASampleIsSpreadEvenlyAndBounded) {
  Pages pages(16000);
  for (size_t i = 0; i < 8000; ++i) pages[i] = 1;
  PageCounts counts = count_pages(pages.address(), 16000 * kPage, Effort::sample);
  EXPECT_EQ(counts.probed, kSampledPages);
  EXPECT_EQ(counts.resident, kSampledPages / 2);
}

TEST_P(ResidencyTest, ASmallRangeIsNotSampled) {
  Pages pages(100);
  for (size_t i = 0; i < 37; ++i) pages[i] = 1;
  PageCounts counts = count_pages(pages.address(), 100 * kPage, Effort::sample);
  EXPECT_EQ(counts.probed, 100U);
  EXPECT_EQ(counts.resident, 37U);
}

TEST_P(ResidencyTest, HugePagesCountAsTheirBasePages) {
  constexpr size_t kHuge = 2 << 20;
  Pages pages(1024, kHuge);
  if (madvise(pages.begin(), 2 * kHuge, MADV_HUGEPAGE) != 0) GTEST_SKIP() << "no huge pages here";
  pages[0] = 1;
  PageCounts counts = count_pages(pages.address(), 2 * kHuge, Effort::full);
  EXPECT_TRUE(counts.resident == 512 || counts.resident == 1) << counts.resident;
  if (GetParam() == Sight::scan) {
    EXPECT_EQ(counts.huge, counts.resident == 512 ? 512U : 0U);
  } else {
    EXPECT_EQ(counts.huge, trace::kUnknownPages);
  }
}

TEST_P(ResidencyTest, EffortNoneLooksNothingUpAndPresenceOnlyPresence) {
  Pages pages(10);
  pages[3] = 1;
  EXPECT_EQ(count_pages(pages.address(), 10 * kPage, Effort::none).probed, trace::kUnknownPages);
  PageCounts counts = count_pages(pages.address(), 10 * kPage, Effort::presence);
  EXPECT_EQ(counts.resident, 1U);
  EXPECT_EQ(counts.zero, trace::kUnknownPages);
}

TEST_P(ResidencyTest, AReservationOfManyGigabytes) {
  Pages pages(size_t{4} << 20);  // 16 GiB
  for (size_t i = 1000000; i < 1000100; ++i) pages[i] = 1;
  for (size_t i = 3000000; i < 3000200; i += 2) pages[i] = 1;
  size_t bytes = (size_t{4} << 20) * kPage;
  EXPECT_EQ(count_pages(pages.address(), bytes, Effort::presence).resident, 200U);
}

TEST_P(ResidencyTest, ALargeRangeThatIsFull) {
  Pages pages(33000);
  for (size_t i = 0; i < 33000; ++i) pages[i] = 1;
  EXPECT_EQ(count_pages(pages.address(), 33000 * kPage, Effort::presence).resident, 33000U);
  EXPECT_EQ(count_pages(pages.address(), 33000 * kPage, Effort::full).resident, 33000U);
}

TEST_P(ResidencyTest, NoDescriptorIsLeftBehind) {
  int before = dup(0);
  close(before);
  Pages pages(10);
  count_pages(pages.address(), 10 * kPage, Effort::full);
  int after = dup(0);
  close(after);
  EXPECT_EQ(before, after);
}

INSTANTIATE_TEST_SUITE_P(Ways, ResidencyTest,
                         testing::Values(Sight::scan, Sight::pagemap, Sight::presence),
                         [](const testing::TestParamInfo<Sight>& info) {
                           return info.param == Sight::scan      ? "scan"
                                  : info.param == Sight::pagemap ? "pagemap"
                                                                 : "mincore";
                         });

}  // namespace
}  // namespace ftprof
