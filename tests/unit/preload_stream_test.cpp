// A stream's bytes, exactly: what a reader that nobody here wrote will find.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "preload/state.h"
#include "preload/stream.h"

namespace ftprof {
namespace {

using trace::kPacketBytes;

class StreamBytes : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/ftprof-stream-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    path_ = name;
    dir_ = open(name, O_RDONLY | O_DIRECTORY);
    for (unsigned i = 0; i < 16; ++i) g_state.trace_uuid[i] = static_cast<uint8_t>(i);
    g_state.settings.trace_max_size = 0;
    g_state.trace_bytes = 0;
  }
  void TearDown() override {
    close(dir_);
    unlink((path_ + "/s").c_str());
    rmdir(path_.c_str());
  }
  std::string bytes() {
    std::ifstream file(path_ + "/s", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  trace::PacketHeader header(size_t packet) {
    trace::PacketHeader header;
    std::string file = bytes();
    EXPECT_GE(file.size(), (packet + 1) * kPacketBytes);
    memcpy(&header, file.data() + packet * kPacketBytes, sizeof header);
    return header;
  }

  std::string path_;
  int dir_ = -1;
};

std::string hex(const std::string& bytes, size_t from, size_t count) {
  std::string text;
  char two[3];
  for (size_t i = from; i < from + count; ++i) {
    snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(bytes[i]));
    text += two;
  }
  return text;
}

TEST_F(StreamBytes, AreThese) {
  Stream stream;
  ASSERT_TRUE(stream.open(dir_, "s", trace::kBlockStream, 3));
  ASSERT_TRUE(stream.emit(0x1122334455667788, trace::Mark{0xAABBCCDD}, text_span("go")));
  stream.close();
  std::string file = bytes();
  ASSERT_EQ(file.size(), kPacketBytes);
  EXPECT_EQ(hex(file, 0, 24), "c11ffcc1000102030405060708090a0b0c0d0e0f00000000");
  EXPECT_EQ(hex(file, 24, 16), "88776655443322118877665544332211");  // begin, end
  EXPECT_EQ(hex(file, 40, 8), "a002000000000000");                   // content, bits
  EXPECT_EQ(hex(file, 48, 8), "0000080000000000");                   // packet, bits
  EXPECT_EQ(hex(file, 56, 12), "000000000000000003000000");          // discarded, cpu
  EXPECT_EQ(hex(file, 68, 16), "0e8877665544332211ddccbbaa676f00");
}

TEST_F(StreamBytes, ArePrivate) {
  Stream stream;
  ASSERT_TRUE(stream.open(dir_, "s", trace::kBlockStream, 0));
  struct stat facts {};
  ASSERT_EQ(stat((path_ + "/s").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0600u);
  EXPECT_EQ(facts.st_size, 0);  // no packet begun yet
  stream.close();
}

TEST_F(StreamBytes, GoNowhereThroughALinkOrIntoAFileThatIsThere) {
  ASSERT_EQ(symlinkat("/tmp/ftprof-nowhere", dir_, "s"), 0);
  Stream stream;
  EXPECT_FALSE(stream.open(dir_, "s", trace::kBlockStream, 0));
  EXPECT_FALSE(stream.emit(1, trace::Mark{1}, text_span("lost")));
  EXPECT_EQ(stream.discarded(), 1u);
  EXPECT_NE(access("/tmp/ftprof-nowhere", F_OK), 0);
}

TEST_F(StreamBytes, FillPacketAfterPacket) {
  Stream stream;
  ASSERT_TRUE(stream.open(dir_, "s", trace::kFaultStream, 0));
  trace::Fault fault{};
  constexpr uint64_t kEvents = 5000;
  for (uint64_t i = 1; i <= kEvents; ++i) ASSERT_TRUE(stream.emit(i, fault));
  stream.close();
  size_t each = sizeof(trace::EventHeader) + sizeof fault, events = 0;
  size_t packets = bytes().size() / kPacketBytes;
  EXPECT_EQ(packets, 3u);
  uint64_t last = 0;
  for (size_t i = 0; i < packets; ++i) {
    trace::PacketHeader head = header(i);
    events += (head.content_size / 8 - sizeof head) / each;
    EXPECT_GE(head.timestamp_begin, last);
    last = head.timestamp_end;
  }
  EXPECT_EQ(events, kEvents);
  EXPECT_EQ(last, kEvents);
}

TEST_F(StreamBytes, NeverRunBackwards) {
  Stream stream;
  ASSERT_TRUE(stream.open(dir_, "s", trace::kBlockStream, 0));
  stream.emit(100, trace::Mark{1}, text_span("a"));
  stream.emit(50, trace::Mark{1}, text_span("b"));
  stream.close();
  std::string file = bytes();
  size_t second = sizeof(trace::PacketHeader) + 15;
  EXPECT_EQ(hex(file, second, 9), "0e6400000000000000");
}

TEST_F(StreamBytes, StopAtTheMostThatIsAllowed) {
  g_state.settings.trace_max_size = kPacketBytes;
  Stream stream;
  ASSERT_TRUE(stream.open(dir_, "s", trace::kFaultStream, 0));
  trace::Fault fault{};
  uint64_t written = 0;
  for (uint64_t i = 1; i <= 20000; ++i) written += stream.emit(i, fault);
  EXPECT_EQ(stream.error(), StreamError::limit);
  EXPECT_EQ(written + stream.discarded(), 20000u);
  stream.close();
  EXPECT_EQ(bytes().size(), kPacketBytes);
  EXPECT_EQ(header(0).events_discarded, 20000 - written);
}

// Beyond RLIMIT_FSIZE the kernel would send SIGXFSZ, which ends a program.
TEST_F(StreamBytes, StopBeforeTheFileSizeLimit) {
  rlimit old{}, limit{};
  getrlimit(RLIMIT_FSIZE, &old);
  limit = {kPacketBytes / 2, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  Stream stream;
  ASSERT_TRUE(stream.open(dir_, "s", trace::kBlockStream, 0));
  EXPECT_FALSE(stream.emit(1, trace::Mark{1}, text_span("a")));
  EXPECT_EQ(stream.error(), StreamError::limit);
  setrlimit(RLIMIT_FSIZE, &old);
  stream.close();
}

}  // namespace
}  // namespace ftprof
