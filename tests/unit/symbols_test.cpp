// Symbols against real compilers' output: tests/victims/named.cpp is compiled in each way that
// matters, run for its addresses, and looked up.
#include "analyzer/symbols.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace ftprof {
namespace {
namespace fs = std::filesystem;

const std::string kSource = std::string(SOURCE_ROOT) + "/tests/victims/named.cpp";

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  char buffer[4096];
  for (size_t got = 0; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, got);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

uint32_t marked_line(const std::string& mark) {
  std::ifstream source(kSource);
  std::string line;
  for (uint32_t number = 1; std::getline(source, line); ++number)
    if (line.ends_with("// here: " + mark)) return number;
  ADD_FAILURE() << "no line is marked " << mark;
  return 0;
}

class SymbolsTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/ftprof_symbols_XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void shell(const std::string& command) const {
    ASSERT_EQ(std::system(("cd " + folder_.string() + " && " + command).c_str()), 0) << command;
  }
  void compile(const std::string& flags, const std::string& name = "app",
               const std::string& compiler = "g++") {
    shell(compiler + " -std=c++20 -O2 -Wl,--build-id " + flags + " -o " + name + " " + kSource);
    learn(name);
  }
  // The addresses that the program prints.
  void learn(const std::string& name) {
    std::istringstream lines(output_of(path(name)));
    std::string what, address;
    while (lines >> what >> address)
      if (what != "ok") addresses_[what] = std::stoull(address, nullptr, 16);
    ASSERT_EQ(address, "named") << "the victim did not finish";
  }
  std::string build_id(const std::string& name) const {
    std::string notes = output_of("readelf -n " + path(name) + " 2>/dev/null | grep 'Build ID'");
    notes = notes.substr(notes.rfind(' ') + 1);
    return notes.substr(0, notes.find('\n'));
  }
  std::vector<Frame> look_up(Symbols& symbols, const std::string& what,
                             const std::string& name = "app") {
    uint32_t module = symbols.module(path(name), build_id_);
    return symbols.frames(module, addresses_.at(what), AddressKind::return_address);
  }
  SymbolOptions with_folder() const {
    return {.debuginfod = false, .debug_folders = {path("debug")}};
  }

  // With DWARF at hand: inlined frames, functions, file and lines.
  void expect_everything(SymbolOptions options = {}) {
    Symbols symbols(std::move(options));
    auto frames = look_up(symbols, "inlined");
    ASSERT_EQ(frames.size(), 2u);
    EXPECT_EQ(frames[0].function, "shop::Cart<long>::add(long)");
    EXPECT_TRUE(frames[0].inlined);
    EXPECT_EQ(fs::path(frames[0].file).lexically_normal(), fs::path(kSource).lexically_normal());
    EXPECT_EQ(frames[0].line, marked_line("inlined"));
    EXPECT_EQ(frames[1].function, "shop::fill(int)");
    EXPECT_EQ(fs::path(frames[1].file).lexically_normal(), fs::path(kSource).lexically_normal());
    EXPECT_EQ(frames[1].line, marked_line("call"));
    EXPECT_FALSE(frames[1].inlined);
    auto outer = look_up(symbols, "outer");
    ASSERT_EQ(outer.size(), 1u);
    EXPECT_EQ(outer[0].function, "shop::fill(int)");
    EXPECT_EQ(outer[0].line, marked_line("outer"));
    EXPECT_EQ(outer[0].module, path("app"));
    EXPECT_FALSE(outer[0].nearest);
    EXPECT_EQ(look_up(symbols, "hidden")[0].function, "hidden(int)");
    EXPECT_TRUE(symbols.warnings().empty());
  }

  fs::path folder_;
  std::string build_id_;
  std::map<std::string, uint64_t> addresses_;
};

class Flavours : public SymbolsTest, public testing::WithParamInterface<const char*> {};

TEST_P(Flavours, AreReadAlike) {
  compile(GetParam());
  build_id_ = build_id("app");
  expect_everything();
}

INSTANTIATE_TEST_SUITE_P(Compilers, Flavours,
                         testing::Values("-g -gdwarf-4 -pie -fPIE", "-g -gdwarf-5 -pie -fPIE",
                                         "-g -gdwarf-5 -no-pie -fno-pie", "-g -gz=zlib",
                                         "-g -gdwarf-4 -gz=zlib", "-g -fdebug-types-section",
                                         "-g -gno-column-info -O1", "-g -flto",
                                         "-g -ffunction-sections -Wl,--gc-sections",
                                         "-g -gsplit-dwarf"));

TEST_F(SymbolsTest, ClangLeavesOutTheTableOfRanges) {
  compile("-g", "app", "clang++-14");
  expect_everything();
}

TEST_F(SymbolsTest, DebugFileByBuildId) {
  compile("-g");
  build_id_ = build_id("app");
  std::string where = "debug/.build-id/" + build_id_.substr(0, 2);
  shell("mkdir -p " + where + " && objcopy --only-keep-debug app " + where + "/" +
        build_id_.substr(2) + ".debug && strip app");
  expect_everything(with_folder());
}

TEST_F(SymbolsTest, DebugFileByLinkBesideAndInDotDebug) {
  compile("-g");
  shell(
      "objcopy --only-keep-debug app app.debug && strip app && "
      "objcopy --add-gnu-debuglink=app.debug app");
  expect_everything(with_folder());
  shell("mkdir .debug && mv app.debug .debug/");
  expect_everything(with_folder());
  shell("mkdir -p debug" + folder_.string() + " && mv .debug/app.debug debug" + folder_.string());
  expect_everything(with_folder());
}

TEST_F(SymbolsTest, CompressedDebugFile) {
  compile("-g -gz=zlib");
  shell(
      "objcopy --only-keep-debug --compress-debug-sections=zlib app app.debug && strip app && "
      "objcopy --add-gnu-debuglink=app.debug app");
  expect_everything(with_folder());
}

TEST_F(SymbolsTest, ADebugFileOfAnotherBuildIsNotUsed) {
  compile("-g");
  shell(
      "objcopy --only-keep-debug app app.debug && strip app && "
      "objcopy --add-gnu-debuglink=app.debug app");
  compile("-g -O1 -DOTHER=1 -fno-inline-small-functions", "other");
  learn("app");
  shell("objcopy --only-keep-debug other app.debug");
  Symbols symbols(with_folder());
  EXPECT_EQ(look_up(symbols, "outer")[0].line, 0u);
}

TEST_F(SymbolsTest, SharedPartsByDwz) {
  compile("-g -gdwarf-4");
  compile("-g -gdwarf-4 -DTWIN", "twin");
  learn("app");
  build_id_ = build_id("app");
  shell("dwz -m common.debug app twin");
  expect_everything(with_folder());
}

TEST_F(SymbolsTest, WithoutDwarfTheSymbolTableNames) {
  compile("");
  Symbols symbols;
  auto frames = look_up(symbols, "hidden");
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].function, "hidden(int)");
  EXPECT_EQ(frames[0].line, 0u);
  EXPECT_FALSE(frames[0].nearest);
}

TEST_F(SymbolsTest, AStrippedFileIsNamedByTheNearestExport) {
  compile("-rdynamic");
  shell("strip app");
  Symbols symbols(with_folder());
  EXPECT_EQ(look_up(symbols, "outer")[0].function, "shop::fill(int)");
  EXPECT_FALSE(look_up(symbols, "outer")[0].nearest) << "exported: it is known exactly";
  auto hidden = look_up(symbols, "hidden");
  EXPECT_TRUE(hidden[0].nearest);
  EXPECT_NE(hidden[0].function, "hidden(int)");
}

TEST_F(SymbolsTest, ASmallSymbolTableInsideTheFile) {
  compile("");
  shell(
      "objcopy --strip-debug app mini && xz -c mini > mini.xz && strip app && objcopy "
      "--add-section .gnu_debugdata=mini.xz app");
  Symbols symbols(with_folder());
  EXPECT_EQ(look_up(symbols, "hidden")[0].function, "hidden(int)");
}

TEST_F(SymbolsTest, RustNamesOldAndNew) {
  compile("-g");
  Symbols symbols;
  EXPECT_EQ(look_up(symbols, "rust_old")[0].function, "app::load");
  EXPECT_EQ(look_up(symbols, "rust_new")[0].function, "mycrate::foo::bar");
}

TEST_F(SymbolsTest, AFileThatChangedNamesNothingAndSaysSo) {
  compile("-g");
  build_id_ = build_id("app");
  compile("-g -O1");
  Symbols symbols(with_folder());
  auto frames = look_up(symbols, "outer");
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].function, "??");
  EXPECT_EQ(frames[0].module, path("app"));
  look_up(symbols, "hidden");
  ASSERT_EQ(symbols.warnings().size(), 1u);
  EXPECT_NE(symbols.warnings()[0].find("changed since the run"), std::string::npos);
}

TEST_F(SymbolsTest, AFileThatChangedIsNamedByItsOldDebugFile) {
  compile("-g");
  auto addresses = addresses_;
  build_id_ = build_id("app");
  std::string where = "debug/.build-id/" + build_id_.substr(0, 2);
  shell("mkdir -p " + where + " && objcopy --only-keep-debug app " + where + "/" +
        build_id_.substr(2) + ".debug");
  compile("-g -O1");
  addresses_ = addresses;
  expect_everything(with_folder());
}

TEST_F(SymbolsTest, AFileThatWasReplacedWhileItRanIsCheckedToo) {
  compile("-g");
  Symbols symbols;
  uint32_t module = symbols.module(path("app") + " (deleted)", build_id("app"));
  auto frames = symbols.frames(module, addresses_.at("outer"), AddressKind::return_address);
  EXPECT_EQ(frames[0].function, "shop::fill(int)");
}

TEST_F(SymbolsTest, FilesThatAreNoneAreUnknown) {
  shell("mkfifo pipe && mkdir folder && echo text > text && : > empty");
  Symbols symbols;
  for (const char* name : {"pipe", "folder", "text", "empty", "missing"}) {
    uint32_t module = symbols.module(path(name), "");
    EXPECT_EQ(symbols.frames(module, 0x1000, AddressKind::instruction)[0].function, "??") << name;
  }
  EXPECT_EQ(symbols.warnings().size(), 5u);
  for (const char* name : {"[vdso]", "", "[heap]"})
    EXPECT_EQ(symbols.frames(symbols.module(name, ""), 0, AddressKind::return_address).size(), 1u);
  EXPECT_EQ(symbols.warnings().size(), 5u) << "no file was to be expected";
}

TEST_F(SymbolsTest, AFileCutAnywhereIsSurvived) {
  compile("-g");
  auto size = fs::file_size(path("app"));
  for (uintmax_t keep = 0; keep < size; keep += size / 40) {
    shell("cp app cut");
    fs::resize_file(path("cut"), keep);
    Symbols symbols(with_folder());
    EXPECT_FALSE(look_up(symbols, "outer", "cut").empty());
  }
}

TEST_F(SymbolsTest, HandlesTellGenerationsOfOnePathApart) {
  Symbols symbols;
  uint32_t first = symbols.module("/x/libplugin.so", "aa00");
  EXPECT_EQ(symbols.module("/x/libplugin.so", "aa00"), first);
  EXPECT_NE(symbols.module("/x/libplugin.so", "bb00"), first);
}

TEST_F(SymbolsTest, DebuginfodWhenAsked) {
  compile("-g");
  build_id_ = build_id("app");
  std::string where = "server/buildid/" + build_id_;
  shell("mkdir -p " + where + " && objcopy --only-keep-debug app " + where +
        "/debuginfo && strip app");
  setenv("DEBUGINFOD_URLS", ("file://" + path("server")).c_str(), 1);
  setenv("DEBUGINFOD_CACHE_PATH", path("cache").c_str(), 1);
  SymbolOptions options = with_folder();
  options.debuginfod = true;
  expect_everything(options);
  EXPECT_TRUE(fs::exists(path("cache")));
  unsetenv("DEBUGINFOD_URLS");
}

TEST_F(SymbolsTest, TheNetworkIsLeftAlone) {
  setenv("DEBUGINFOD_URLS", "http://127.0.0.1:9/", 1);
  Symbols symbols;
  EXPECT_EQ(getenv("DEBUGINFOD_URLS"), nullptr);
}

}  // namespace
}  // namespace ftprof
