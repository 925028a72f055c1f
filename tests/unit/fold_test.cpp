#include "analyzer/fold.h"

#include <gtest/gtest.h>

#include "analyzer/demangle.h"

namespace ftprof {
namespace {

Frame frame(const std::string& function, const std::string& module = "/usr/bin/app") {
  Frame frame;
  frame.function = function;
  frame.module = module;
  return frame;
}

TEST(Demangle, KnowsCppAndRust) {
  EXPECT_EQ(demangle("_ZN4shop4fillEi"), "shop::fill(int)");
  EXPECT_EQ(demangle("_ZN3app4load17h0123456789abcdefE"), "app::load");
  EXPECT_EQ(
      demangle("_ZN47_$LT$app..Buf$u20$as$u20$core..clone..Clone$GT$5clone17h0123456789abcdefE"),
      "<app::Buf as core::clone::Clone>::clone");
  EXPECT_EQ(demangle("_RNvNtCs1234_7mycrate3foo3bar"), "mycrate::foo::bar");
  EXPECT_EQ(demangle("_Znwm"), "operator new(unsigned long)");
}

TEST(Demangle, LeavesOtherNamesAlone) {
  for (const char* name : {"main", "", "_", "_Z", "_R", "_start", "_ZN", "_RNv", "a.cold"})
    EXPECT_EQ(demangle(name), name);
  EXPECT_EQ(demangle("memcpy@@GLIBC_2.14"), "memcpy");
  EXPECT_EQ(demangle("memcpy@GLIBC_2.2.5"), "memcpy");
}

TEST(Demangle, SurvivesHostileNames) {
  EXPECT_FALSE(demangle("_Z" + std::string(100000, 'P')).empty());
  EXPECT_FALSE(demangle("_ZN" + std::string(100000, 'I') + "E").empty());
  EXPECT_FALSE(demangle("_R" + std::string(100000, 'I')).empty());
}

TEST(Fold, BareNames) {
  EXPECT_EQ(bare_name("main"), "main");
  EXPECT_EQ(bare_name("void std::vector<int, std::allocator<int> >::_M_realloc_insert<int>(int&&)"),
            "std::vector::_M_realloc_insert");
  EXPECT_EQ(bare_name("(anonymous namespace)::load(char const*)"), "(anonymous namespace)::load");
  EXPECT_EQ(bare_name("operator new(unsigned long)"), "operator new");
  EXPECT_EQ(bare_name("operator new[](unsigned long, std::align_val_t)"), "operator new[]");
  EXPECT_EQ(bare_name("app::Functor::operator()(int) const"), "app::Functor::operator()");
  EXPECT_EQ(bare_name("std::ostream& std::operator<< <char>(std::ostream&, char)"),
            "std::operator<< <char>");
  EXPECT_EQ(bare_name("app::operators(int)"), "app::operators");
  EXPECT_EQ(bare_name("main::{lambda(int)#1}::operator()(int) const"),
            "main::{lambda(int)#1}::operator()");
  EXPECT_EQ(bare_name("decltype(auto) std::invoke<int>(int)"), "std::invoke");
  EXPECT_EQ(bare_name("<app::Buf as core::clone::Clone>::clone"), "app::Buf::clone");
  EXPECT_EQ(bare_name("<alloc::vec::Vec<u8> as core::clone::Clone>::clone"),
            "alloc::vec::Vec::clone");
  EXPECT_EQ(bare_name("app::run::{{closure}}"), "app::run::{{closure}}");
}

TEST(Fold, BareNamesOfHostileText) {
  for (const char* text : {"", "<", ">", "((((", "))))", "{", "}{", "operator", "a<b", "<<<>>>",
                           "operator(", "(anonymous namespace", " ", "\xff\xfe"})
    EXPECT_LE(bare_name(text).size(), std::string(text).size());
}

TEST(Fold, AllocatorsAndLibrariesAreFolded) {
  EXPECT_TRUE(is_folded(frame("malloc", "/usr/lib/x86_64-linux-gnu/libc.so.6")));
  EXPECT_TRUE(is_folded(frame("mi_heap_malloc", "/usr/lib/libmimalloc.so.2.0")));
  EXPECT_TRUE(is_folded(frame("anything", "/opt/libftprof.so")));
  EXPECT_TRUE(is_folded(frame("operator new(unsigned long)")));
  EXPECT_TRUE(is_folded(frame("void std::__fill_a1<int*>(int*, int*, int const&)")));
  EXPECT_TRUE(is_folded(frame("alloc::raw_vec::RawVec<T,A>::allocate_in")));
  EXPECT_TRUE(is_folded(frame("??", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6")));
}

TEST(Fold, TheProgramsOwnAreNot) {
  for (const char* name : {"main", "malloc_table(int)", "stdlib::load()", "my::malloc(int)",
                           "<app::Buf as core::clone::Clone>::clone", "use(std::vector<int>)",
                           "std_like", "operator_new_test()"})
    EXPECT_FALSE(is_folded(frame(name))) << name;
}

TEST(Fold, TheTopIsTheFirstOwnFrame) {
  EXPECT_EQ(first_own_frame({}), 0u);
  EXPECT_EQ(
      first_own_frame({frame("malloc", "/lib/libc.so.6"), frame("operator new(unsigned long)"),
                       frame("std::vector<int>::reserve(unsigned long)"), frame("load()"),
                       frame("main")}),
      3u);
  EXPECT_EQ(first_own_frame({frame("malloc", "/lib/libc.so.6"), frame("qsort", "/lib/libc.so.6")}),
            1u)
      << "without a frame of the program, the library that asked";
  EXPECT_EQ(first_own_frame({frame("malloc", "/lib/libc.so.6")}), 0u);
}

TEST(Fold, CommonWrappersAroundMallocAreNotTheSite) {
  EXPECT_EQ(first_own_frame({frame("malloc", "libc.so.6"), frame("zmalloc_usable"),
                             frame("_sdsnewlen"), frame("main")}),
            2u);
  EXPECT_EQ(first_own_frame({frame("malloc", "libc.so.6"), frame("_PyMem_RawMalloc"),
                             frame("PyMem_Malloc"), frame("array_concat")}),
            3u);
}

}  // namespace
}  // namespace ftprof
