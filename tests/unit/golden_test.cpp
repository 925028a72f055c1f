// The reports of one small trace, byte for byte. Where a change is meant, run this test with
// FTPROF_UPDATE_GOLDEN=1 and read the difference before committing it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "analyzer/analyze.h"
#include "analyzer/escape.h"
#include "analyzer/print_text.h"
#include "analyzer/result_json.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_builder.h"

namespace ftprof {
namespace {

using test::TraceBuilder;
using trace::Api;

constexpr uint64_t kPage = 4096, kAt = 0x7f0000000000;
constexpr uint32_t kMain = 100, kWorker = 101;

trace::Block block_of(uint32_t stack, Api api, uint64_t addr, uint32_t pages, uint32_t resident) {
  trace::Block block = TraceBuilder::plain_block(kMain, stack, api, addr, pages * kPage);
  block.call_ns = 900;
  block.probed_pages = pages;
  block.resident_pages = resident;
  return block;
}

test::StreamBuilder::Samples evenly(size_t faults, uint16_t cost) {
  test::StreamBuilder::Samples samples(faults, {1000, cost});
  samples[0].first = 0;
  return samples;
}

// A loader allocates, a worker touches; a pool of malloc is asked three times; a hostile name.
void small_run(const std::filesystem::path& image) {
  TraceBuilder trace(image);
  trace.process(kMain, 1000);
  for (const char* word : {"/bin/app", "--evil\033[31m", "\xe2\x80\xaereversed"})
    trace.attribute(1000, "arg", word);
  trace.attribute(1000, "exe", "/bin/app");
  trace.attribute(1000, "faults.source", "perf");
  trace.attribute(1000, "allocator.name", "glibc");
  trace.thread(1000, kMain, "loader", true);
  trace.thread(1000, kWorker, "worker-\033]0;x\a", true);
  trace.stack(1001, 1, {0x1000, 0x2000});
  trace.stack(1001, 2, {0x1500, 0x2000});
  trace.blocks().add(2000, block_of(1, Api::mmap, kAt, 256, 0));
  trace.faults().run(3000, {kWorker, 0x5000, kAt, 0}, evenly(256, 900));
  trace.mark(1'000'000, kMain, "ready");
  for (uint64_t round = 0; round < 3; ++round) {
    uint64_t at = 2'000'000 + round * 1'000'000;
    trace.blocks().add(at, block_of(2, Api::malloc, kAt + 4096 * kPage, 64, round ? 64 : 0));
    if (round == 0)
      trace.faults().run(at + 100, {kMain, 0x6000, kAt + 4096 * kPage, 0}, evenly(64, 1100));
    trace.blocks().add(at + 500'000,
                       trace::Release{kMain, Api::free, kAt + 4096 * kPage, 64, 64, 0, 0});
    trace.blocks().add(at + 500'100,
                       trace::Released{kMain, kAt + 4096 * kPage, 64 * kPage, 80, 1, 64, 64});
  }
  trace.blocks().add(5'000'000, trace::Price{0, 800, 5, 100});
  trace.usage(6'000'000, 330, true, 6);
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void matches_golden(const std::string& name, const std::string& found) {
  std::filesystem::path path = std::filesystem::path(SOURCE_ROOT) / "tests/golden" / name;
  if (std::getenv("FTPROF_UPDATE_GOLDEN")) std::ofstream(path, std::ios::binary) << found;
  EXPECT_EQ(contents(path), found) << path;
}

class GoldenTest : public testing::Test {
 protected:
  GoldenTest() {
    small_run(folder_.path() / "app.100");
    result_ = analyze({folder_.path().string()});
  }
  std::string text(TextView view = {}) {
    std::ostringstream out;
    print_text(result_, view, out);
    return out.str();
  }
  test::TemporaryFolder folder_;
  Result result_;
};

TEST_F(GoldenTest, Text) {
  matches_golden("small.txt", text());
}

TEST_F(GoldenTest, TextByEverything) {
  std::string all;
  for (By by : {By::touch, By::thread, By::module, By::process, By::phase, By::pool})
    all += text({.by = by});
  matches_golden("small_by.txt", all);
}

TEST_F(GoldenTest, Json) {
  std::ostringstream out;
  write_json(result_, out);
  matches_golden("small.json", out.str());
}

TEST_F(GoldenTest, NothingHostileReachesTheTerminal) {
  std::string all = text({.all = true, .raw = true});
  EXPECT_EQ(all.find('\033'), std::string::npos);
  EXPECT_EQ(all.find('\a'), std::string::npos);
  EXPECT_EQ(all.find("\xe2\x80\xae"), std::string::npos);
}

TEST_F(GoldenTest, LinesFitTheWidth) {
  for (size_t width : {60, 80, 100, 140}) {
    std::istringstream lines(text({.all = true, .width = width}));
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(display_width(line), width) << line;
  }
}

}  // namespace
}  // namespace ftprof
