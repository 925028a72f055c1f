// What the text report says where a reader would be misled without it.
#include "analyzer/print_text.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/unit/make_result.h"

namespace ftprof {
namespace {

using testing::result;
using testing::site;

std::string text_of(const Result& shown, By by = By::site) {
  std::ostringstream out;
  TextView view;
  view.by = by;
  print_text(shown, view, out);
  return out.str();
}

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST(PrintTextTest, ALongNameIsCutBeforeItsPlace) {
  Site deep = site({std::string(200, 'f'), "main"}, 1000);
  std::string text = text_of(result({deep}));
  EXPECT_TRUE(has(text, "…  app.cpp:10  [malloc]\n")) << text;
  EXPECT_TRUE(has(text, "f…  app.cpp:10\n")) << text;
}

TEST(PrintTextTest, ThreadsOfOneNameAreToldApart) {
  Site shared = site({"load", "main"}, 1000);
  shared.touch_threads = {{"worker", 7, 600, 0}, {"worker", 8, 390, 0}, {"main", 6, 10, 0}};
  EXPECT_TRUE(has(text_of(result({shared})), "worker 7 (60.0 %), worker 8 (39.0 %), main (1.0 %)"));
}

TEST(PrintTextTest, FaultsWithoutARecordAreNamed) {
  Site early = site({"load", "main"}, 1000);
  early.touch_sites[0].faults = 2;
  early.touch_threads = {{"main", 6, 2, 0}};
  std::string text = text_of(result({early}));
  EXPECT_TRUE(has(text, "main (0.2 %), not recorded (99.8 %)")) << text;
  EXPECT_TRUE(has(text, "by code that was not recorded (998 faults)")) << text;
}

TEST(PrintTextTest, TheBillSaysHowMuchOfItWasRecorded) {
  Result run = result({site({"load", "main"}, 1000)});
  EXPECT_TRUE(has(text_of(run), "measured, every fault recorded"));
  run.run.recorded_faults = 900;
  EXPECT_TRUE(has(text_of(run), "measured on 60.0 % of the faults, scaled"));
  run.run.recorded_faults = 15;
  EXPECT_TRUE(has(text_of(run), "measured on 1 in 100 faults, scaled"));
}

TEST(PrintTextTest, FaultTimeAboveTheCpuTimeIsSaid) {
  Result run = result({site({"load", "main"}, 100'000)});
  run.run.user_ns = run.run.system_ns = 10e6;
  std::string text = text_of(run);
  EXPECT_TRUE(has(text, "more than the CPU time of 20.0 ms")) << text;
  EXPECT_TRUE(has(text, "some waited for a CPU or a disk")) << text;
}

TEST(PrintTextTest, ANearestNameIsNoName) {
  Site stripped = site({"exported", "main"}, 1000);
  stripped.stack[0].nearest = true;
  EXPECT_TRUE(has(text_of(result({stripped})), "near exported  app.cpp:10"));
}

}  // namespace
}  // namespace ftprof
