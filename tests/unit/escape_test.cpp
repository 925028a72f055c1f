#include "analyzer/escape.h"

#include <gtest/gtest.h>

namespace ftprof {
namespace {

TEST(Escape, KeepsPlainAndPrintableText) {
  EXPECT_EQ(printable("std::vector<int>::resize(unsigned long)"),
            "std::vector<int>::resize(unsigned long)");
  EXPECT_EQ(printable("größe 漢字 😀 é"), "größe 漢字 😀 é");
  EXPECT_EQ(printable(""), "");
}

TEST(Escape, ShowsControlBytes) {
  EXPECT_EQ(printable("a\x1b[31mred"), "a\\x1b[31mred");
  EXPECT_EQ(printable("line\nfeed\ttab\rback\b\x7f"), "line\\x0afeed\\x09tab\\x0dback\\x08\\x7f");
  EXPECT_EQ(printable(std::string_view("nul\0l", 5)), "nul\\x00l");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u{9b}31m");  // the one-character CSI
}

TEST(Escape, ShowsDirectionChangesAndInvisibles) {
  EXPECT_EQ(printable("a\u202Eb"), "a\\u{202e}b");
  EXPECT_EQ(printable("\u2066x\u2069"), "\\u{2066}x\\u{2069}");
  EXPECT_EQ(printable("\u200B\uFEFF\u00AD"), "\\u{200b}\\u{feff}\\u{ad}");
  EXPECT_EQ(printable("\u2028\u2029"), "\\u{2028}\\u{2029}");
  EXPECT_EQ(printable("\U000E0041"), "\\u{e0041}");  // a tag character
}

TEST(Escape, ShowsInvalidUtf8ByteByByte) {
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("cut \xe6\xbc"), "cut \\xe6\\xbc");
  EXPECT_EQ(printable("\xe6"
                      "A"),
            "\\xe6"
            "A");
}

TEST(Escape, EveryTwoByteTextComesOutHarmless) {
  for (int first = 0; first < 256; ++first)
    for (int second = 0; second < 256; ++second) {
      char text[] = {static_cast<char>(first), static_cast<char>(second)};
      std::string out = printable({text, 2});
      for (unsigned char c : out) ASSERT_TRUE(c >= 0x20 && c != 0x7f) << first << ' ' << second;
      ASSERT_EQ(printable(out), out) << "escaping twice must change nothing";
    }
}

TEST(Escape, CountsColumns) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("漢字"), 4u);
  EXPECT_EQ(display_width("e\u0301"), 1u);
}

TEST(Escape, CutsWithoutHalvingACharacter) {
  EXPECT_EQ(fit("abcdef", 6), "abcdef");
  EXPECT_EQ(fit("abcdef", 4), "abc…");
  EXPECT_EQ(fit("漢字漢字", 4), "漢…");
  EXPECT_EQ(fit("abc", 0), "");
  EXPECT_EQ(fit_left("/usr/lib/libx.so", 8), "…libx.so");
  EXPECT_EQ(fit_left("漢字漢字", 4), "…字");
}

}  // namespace
}  // namespace ftprof
