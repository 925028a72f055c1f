// Reading traces: order, damage, versions.
#include <gtest/gtest.h>

#include <fstream>

#include "analyzer/bad_input.h"
#include "analyzer/trace_reader.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_builder.h"

namespace ftprof {
namespace {

using test::TemporaryFolder;
using test::TraceBuilder;

// Notes what it is given, in one list.
struct Recorder : FaultSink {
  std::vector<std::pair<uint64_t, std::string>> seen;
  uint64_t faults = 0;
  void on_faults(const FaultPiece& piece) override {
    seen.emplace_back(piece.begin_ns, "faults " + std::to_string(piece.faults) + " at " +
                                          std::to_string(piece.addr));
    faults += piece.faults;
  }
  void on_window(uint32_t, uint64_t at, const trace::Window&) override {
    seen.emplace_back(at, "window");
  }
  void on_lost(uint64_t at, uint64_t) override { seen.emplace_back(at, "lost"); }
  template <class Event>
  void on(const Event&, const RawEvent& raw) {
    seen.emplace_back(raw.timestamp, std::to_string(raw.id));
  }
};

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

class TraceTest : public testing::Test {
 protected:
  std::filesystem::path image() const { return folder_.path() / "app.1"; }
  Recorder read() {
    TraceReader reader(image());
    Recorder recorder;
    reader.read(recorder);
    warnings_ = reader.warnings();
    return recorder;
  }
  // Two slots, so that merging is needed, with enough events for several packets.
  void many_events(uint64_t count) {
    TraceBuilder trace(image());
    trace.process();
    for (uint64_t i = 0; i < count; ++i)
      trace.blocks(i % 2).add(2000 + i, trace::ModuleGone{i, i + 1});
  }

  TemporaryFolder folder_;
  std::vector<std::string> warnings_;
};

TEST_F(TraceTest, MergesStreamsByTime) {
  many_events(50'000);
  Recorder recorder = read();
  ASSERT_EQ(recorder.seen.size(), 50'001u);
  for (size_t i = 1; i < recorder.seen.size(); ++i)
    ASSERT_LE(recorder.seen[i - 1].first, recorder.seen[i].first);
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(TraceTest, SplitsARunWhereABlockEventLiesWithinIt) {
  {
    TraceBuilder trace(image());
    trace.process();
    trace.blocks().add(5000, trace::ModuleGone{});
    trace.faults().run(4000, {1, 0x400, 0x10010, 0}, {{0, 1}, {600, 1}, {500, 1}, {100, 1}});
  }
  Recorder recorder = read();
  ASSERT_EQ(recorder.seen.size(), 4u);
  EXPECT_EQ(recorder.seen[1], std::pair(uint64_t{4000}, std::string("faults 2 at 65552")));
  EXPECT_EQ(recorder.seen[2].first, 5000u);
  EXPECT_EQ(recorder.seen[3], std::pair(uint64_t{5100}, std::string("faults 2 at 73728")));
}

TEST_F(TraceTest, ReadsEverythingBeforeACutAtAnyByte) {
  many_events(40'000);
  std::string whole = contents(image() / "blocks_0");
  size_t before = 0;
  for (size_t cut = 0; cut < whole.size(); cut += 19927) {
    write(image() / "blocks_0", whole.substr(0, cut));
    Recorder recorder = read();
    ASSERT_GE(recorder.seen.size(), before);
    before = recorder.seen.size();
    if (cut % trace::kPacketBytes != 0) {
      ASSERT_EQ(warnings_.size(), 1u) << cut;
    }
  }
  EXPECT_GT(before, 35'000u);
}

TEST_F(TraceTest, AFlippedByteCostsAtMostItsPacket) {
  many_events(60'000);
  size_t all = read().seen.size();
  std::string whole = contents(image() / "blocks_0");
  constexpr size_t kEvent = sizeof(trace::EventHeader) + sizeof(trace::ModuleGone);
  constexpr size_t kPerPacket = trace::kPacketBytes / kEvent;
  for (size_t at = 0; at < whole.size(); at += 29989) {
    std::string flipped = whole;
    flipped[at] ^= 0x41;
    write(image() / "blocks_0", flipped);
    ASSERT_GE(read().seen.size() + kPerPacket, all) << at;
  }
}

TEST_F(TraceTest, ASpareThatWasNeverUsedIsNoDamage) {
  many_events(10);
  trace::PacketHeader spare;
  spare.packet_size = trace::kPacketBytes * 8;
  spare.content_size = sizeof spare * 8;
  spare.timestamp_begin = spare.timestamp_end = 1;
  std::string packet(trace::kPacketBytes, '\0');
  std::memcpy(packet.data(), &spare, sizeof spare);
  write(image() / "blocks_0", contents(image() / "blocks_0") + packet);
  EXPECT_EQ(read().seen.size(), 11u);
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(TraceTest, RefusesANewerVersionWithASentenceThatNamesBoth) {
  { TraceBuilder trace(image(), trace::kTraceVersion + 6); }
  try {
    TraceReader reader(image());
    FAIL();
  } catch (const BadInput& bad) {
    EXPECT_NE(std::string(bad.what()).find("version 7"), std::string::npos);
    EXPECT_NE(std::string(bad.what()).find("version 1"), std::string::npos);
  }
}

TEST_F(TraceTest, RefusesWhatIsNoRun) {
  EXPECT_THROW(find_images(folder_.path() / "nothing"), BadInput);
  EXPECT_THROW(find_images(folder_.path()), BadInput);
  write(folder_.path() / "file", "text");
  EXPECT_THROW(find_images(folder_.path() / "file"), BadInput);
  std::filesystem::create_directory(image());
  write(image() / "metadata", "");
  EXPECT_THROW(TraceReader{image()}, BadInput);
}

}  // namespace
}  // namespace ftprof
