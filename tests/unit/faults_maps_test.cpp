// Parsing /proc/self/maps, and what its lines mean.
#include <gtest/gtest.h>
#include <string.h>
#include <sys/mman.h>

#include <string>
#include <vector>

#include "preload/blocks.h"
#include "preload/maps.h"
#include "preload/own_ranges.h"
#include "preload/slots.h"
#include "preload/state.h"

namespace ftprof {

State g_state;

namespace {

std::vector<std::vector<char>> g_events;
std::vector<uint8_t> g_ids;

}  // namespace

uint64_t emit_block_event(uint8_t id, const void* fixed, size_t bytes, Span, Span) {
  g_ids.push_back(id);
  g_events.emplace_back(static_cast<const char*>(fixed), static_cast<const char*>(fixed) + bytes);
  return 1;
}

namespace {

LiveBlock g_block = {};

}  // namespace

void visit_live_blocks(VisitBlock visit, void* context) {
  if (g_block.bytes != 0) visit(g_block, context);
}
uint64_t own_resident_pages() {
  return 0;
}

namespace {

trace::Opening opening_of(uint64_t minor) {
  g_ids.clear(), g_events.clear();
  MapReader::write_opening(minor, 3);
  trace::Opening opening;
  memcpy(&opening, g_events.at(0).data(), sizeof opening);
  return opening;
}

MapLine parse(const std::string& text) {
  MapLine line = {};
  EXPECT_TRUE(parse_map_line(text.data(), text.size(), &line)) << text;
  return line;
}

TEST(Maps, ALineOfAFile) {
  MapLine line = parse(
      "7f51c0e1d000-7f51c0e3f000 r-xp 00001000 fe:01 131139                     /usr/lib/a b.so");
  EXPECT_EQ(line.begin, 0x7f51c0e1d000U);
  EXPECT_EQ(line.end, 0x7f51c0e3f000U);
  EXPECT_EQ(line.offset, 0x1000U);
  EXPECT_EQ(line.inode, 131139U);
  EXPECT_EQ(line.prot, PROT_READ | PROT_EXEC);
  EXPECT_FALSE(line.shared);
  EXPECT_STREQ(line.name, "/usr/lib/a b.so");
}

TEST(Maps, KindsOfMappings) {
  auto kind = [](const char* rest) {
    return kind_of(parse(std::string("1000-2000 rw-p 00000000 00:00 ") + rest), "/run/x.1");
  };
  EXPECT_EQ(kind("0"), MapKind::anonymous);
  EXPECT_EQ(kind("0                  [stack]"), MapKind::stack);
  EXPECT_EQ(kind("0                  [heap]"), MapKind::heap);
  EXPECT_EQ(kind("0                  [anon:arena]"), MapKind::anonymous);
  EXPECT_EQ(kind("0                  [vdso]"), MapKind::file);
  EXPECT_EQ(kind("77                 /etc/passwd"), MapKind::file);
  EXPECT_EQ(kind("77                 /run/x.1/blocks_0"), MapKind::profiler);
  EXPECT_EQ(kind("77                 anon_inode:[perf_event]"), MapKind::profiler);
}

TEST(Maps, NonsenseIsRefused) {
  MapLine line;
  for (const char* text : {"", "x", "1000", "1000-2000", "1000-2000 rw", "1000-2000 rw-p zz"})
    EXPECT_FALSE(parse_map_line(text, strlen(text), &line)) << text;
}

TEST(Maps, LongNamesAreCut) {
  MapLine line = parse("1000-2000 rw-p 00000000 00:00 5 /" + std::string(9000, 'a'));
  EXPECT_EQ(strlen(line.name), MapLine::kMostName);
}

TEST(Maps, OwnMappingsAreAllThere) {
  size_t lines = 0;
  EXPECT_TRUE(
      visit_maps([](const MapLine&, void* context) { ++*static_cast<size_t*>(context); }, &lines));
  FILE* file = fopen("/proc/self/maps", "r");
  size_t expected = 0;
  for (int c; (c = fgetc(file)) != EOF;) expected += c == '\n';
  fclose(file);
  EXPECT_NEAR(static_cast<double>(lines), static_cast<double>(expected), 2);
  EXPECT_GT(lines, 10U);
}

TEST(Maps, APassIsWrittenWhenMappingsChangedAndOnlyThen) {
  g_events.reserve(100000), g_ids.reserve(100000);
  MapReader reader;
  reader.write_if_changed();
  reader.write_if_changed();  // the vectors may have grown during the first
  g_ids.clear(), g_events.clear();
  reader.write_if_changed();
  EXPECT_TRUE(g_ids.empty());
  void* more = mmap(nullptr, 12288, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  reader.write_if_changed();
  EXPECT_FALSE(g_ids.empty());
  munmap(more, 12288);
}

struct OpeningTest : testing::Test {
  void SetUp() override {
    g_state.page_bytes = 4096, g_state.page_shift = 12;
    g_block = {};
  }
};

TEST_F(OpeningTest, SplitsWhatIsResident) {
  trace::Opening opening = opening_of(100000);
  EXPECT_EQ(opening.minor, 100000U);
  EXPECT_EQ(opening.major, 3U);
  EXPECT_GT(opening.stack, 0U);
  EXPECT_GT(opening.heap, 0U);
  EXPECT_EQ(opening.stack + opening.heap + opening.other_anonymous + opening.file, 100000U);
}

TEST_F(OpeningTest, PartsNeverExceedTheWhole) {
  trace::Opening opening = opening_of(2);
  EXPECT_EQ(opening.stack + opening.heap + opening.other_anonymous + opening.file, 2U);
}

TEST_F(OpeningTest, TheBlocksPagesAreInNoPart) {
  constexpr size_t kBytes = 1000 * 4096;
  uint64_t before = opening_of(100000).other_anonymous;
  void* block = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(block, 1, kBytes);
  g_block.address = reinterpret_cast<uintptr_t>(block), g_block.bytes = kBytes;
  trace::Opening opening = opening_of(100000);
  EXPECT_EQ(opening.stack + opening.heap + opening.other_anonymous + opening.file, 99000U);
  EXPECT_NEAR(static_cast<double>(opening.other_anonymous), static_cast<double>(before), 100);
  munmap(block, kBytes);
}

}  // namespace
}  // namespace ftprof
