#include "analyzer/perf_map.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ftprof {
namespace {

std::string name_at(const PerfMap& map, uint64_t address) {
  const std::string* name = map.find(address);
  return name ? *name : "none";
}

TEST(PerfMap, ReadsNamesWithSpaces) {
  PerfMap map = PerfMap::parse("1000 20 LazyCompile:*load /srv/app.js:12\n0x2000 10 stub\n");
  EXPECT_EQ(name_at(map, 0x1000), "LazyCompile:*load /srv/app.js:12");
  EXPECT_EQ(name_at(map, 0x101f), "LazyCompile:*load /srv/app.js:12");
  EXPECT_EQ(name_at(map, 0x1020), "none");
  EXPECT_EQ(name_at(map, 0xfff), "none");
  EXPECT_EQ(name_at(map, 0x2005), "stub");
}

TEST(PerfMap, LaterCodeReplacesWhatItCovers) {
  PerfMap map = PerfMap::parse("1000 100 old\n1100 100 next\n1080 100 new\n");
  EXPECT_EQ(name_at(map, 0x1010), "old");
  EXPECT_EQ(name_at(map, 0x1080), "new");
  EXPECT_EQ(name_at(map, 0x117f), "new");
  EXPECT_EQ(name_at(map, 0x1180), "none") << "its beginning is gone, so the old code is";
}

TEST(PerfMap, PassesOverWhatIsNoLine) {
  EXPECT_EQ(PerfMap::parse("").size(), 0u);
  for (const char* text : {"\n\n\n", "x", "1000", "1000 ", "1000 10", "1000 10 ", "zz 10 name",
                           "1000 0 empty", "ffffffffffffffff 2 wraps", "1000000000000000000 1 huge",
                           " 1000 10 name", "-1 1 name", "0x 1 a"})
    EXPECT_EQ(PerfMap::parse(text).size(), 0u) << text;
  EXPECT_EQ(name_at(PerfMap::parse("garbage\n1000 10 last line without its end"), 0x1000),
            "last line without its end");
}

TEST(PerfMap, TheImagesOwnCopyComesFirst) {
  char folder[] = "/tmp/perf_map_test_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  std::ofstream(std::string(folder) + "/perf-4711.map") << "1000 10 kept\n";
  EXPECT_EQ(name_at(PerfMap::of_process(folder, 4711), 0x1000), "kept");
  std::filesystem::remove_all(folder);
}

TEST(PerfMap, AStrangersFileIsNotRead) {
  char folder[] = "/tmp/perf_map_test_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  std::string path = std::string(folder) + "/perf-4711.map";
  std::ofstream(std::string(folder) + "/target") << "1000 10 elsewhere\n";
  std::filesystem::create_symlink("target", path);
  EXPECT_EQ(PerfMap::of_process(folder, 4711).size(), 0u) << "a symbolic link";
  std::filesystem::remove(path);
  std::ofstream(path) << "1000 10 theirs\n";
  if (geteuid() == 0) {
    ASSERT_EQ(chown(path.c_str(), 1, 1), 0);
    EXPECT_EQ(PerfMap::of_process(folder, 4711).size(), 0u) << "another user's";
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ftprof
