// When a recorded fault is said to have happened: what else goes into its file must not move it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "preload/fault_files.h"
#include "preload/state.h"
#include "tests/support/temporary_folder.h"

namespace ftprof {

// Code and zero pages are looked up elsewhere.
void note_code(uintptr_t) {}
void note_own_range(const void*, size_t) {}
bool ZeroPages::begin() {
  return false;
}
void ZeroPages::end() {}
size_t ZeroPages::find(uint64_t, size_t, ZeroRange*, size_t) const {
  return 0;
}

namespace {

class FaultFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    g_state.page_bytes = 4096;
    g_state.page_shift = 12;
    dir_ = open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY);
    ASSERT_TRUE(files_.begin(dir_, 2, false));
    files_.set_window(1, 1, 1000);
  }
  void TearDown() override { close(dir_); }

  void fault(unsigned cpu, uint64_t time) { files_.fault(cpu, time, {1, 0, 4096, 500, 0}); }

  // Of the file's windows and faults, "W" or "F" with the time.
  std::vector<std::string> events(const char* name) {
    files_.close();
    std::ifstream file(folder_.path() / name, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    trace::PacketHeader header;
    memcpy(&header, bytes.data(), sizeof header);
    std::vector<std::string> found;
    for (size_t at = sizeof header; at < header.content_size / 8;) {
      trace::EventHeader event;
      memcpy(&event, bytes.data() + at, sizeof event);
      bool window = event.id == trace::Window::kId;
      found.push_back((window ? "W" : "F") + std::to_string(event.timestamp));
      at += sizeof event + (window ? sizeof(trace::Window) : sizeof(trace::Fault));
    }
    return found;
  }

  test::TemporaryFolder folder_;
  int dir_ = -1;
  FaultFiles files_;
};

using Events = std::vector<std::string>;

TEST_F(FaultFilesTest, AFaultThatIsReadAfterTimingWasSwitchedKeepsItsTime) {
  fault(0, 2000);
  files_.set_timed(0);  // at 3000, say: the ring still holds one that entered before
  fault(0, 2500);
  EXPECT_EQ(events("faults_0"), (Events{"W1000", "F2000", "W2000", "F2500"}));
}

TEST_F(FaultFilesTest, SoDoesTheFirstOneOfItsCpu) {
  files_.set_timed(0);
  fault(1, 1500);
  EXPECT_EQ(events("faults_1"), (Events{"W1000", "F1500"}));
}

}  // namespace
}  // namespace ftprof
