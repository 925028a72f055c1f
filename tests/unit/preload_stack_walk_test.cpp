// The library's own unwinder against libgcc's and libunwind's: the same frames, wherever all can look.
#include <execinfo.h>
#include <gtest/gtest.h>
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "preload/stack_walk.h"

namespace ftprof {
namespace {

struct Walked {
  std::vector<uintptr_t> ours, theirs, by_libunwind;
};

std::vector<uintptr_t> without_first(void** frames, int count) {
  std::vector<uintptr_t> rest;
  for (int i = 1; i < count; ++i) rest.push_back(reinterpret_cast<uintptr_t>(frames[i]));
  return rest;
}

// The first frame is where each was called in here, which differs; the rest must not.
[[gnu::noinline]] Walked walk_here() {
  thread_local StackBounds bounds;
  uintptr_t frames[128];
  void* others[128];
  size_t count = walk_stack(frames, 128, {}, &bounds, true);
  Walked walked;
  walked.ours.assign(frames + 1, frames + count);
  walked.theirs = without_first(others, backtrace(others, 128));
  walked.by_libunwind = without_first(others, unw_backtrace(others, 128));
  return walked;
}

void expect_same(const Walked& walked) {
  EXPECT_GT(walked.theirs.size(), 3u);
  EXPECT_EQ(walked.ours, walked.theirs);
  EXPECT_EQ(walked.ours, walked.by_libunwind);
}

TEST(StackWalk, AgreesFromHere) {
  expect_same(walk_here());
}

TEST(StackWalk, AgreesThroughDeepRecursion) {
  std::function<void(int)> down = [&](int depth) {
    if (depth > 0)
      down(depth - 1);
    else
      expect_same(walk_here());
  };
  down(25);
}

TEST(StackWalk, AgreesThroughLibcAndBack) {
  static bool looked;
  looked = false;
  int numbers[64];
  for (int i = 0; i < 64; ++i) numbers[i] = i * 37 % 64;
  qsort(numbers, 64, sizeof *numbers, [](const void* a, const void* b) {
    if (!looked) expect_same(walk_here());
    looked = true;
    return *static_cast<const int*>(a) - *static_cast<const int*>(b);
  });
  EXPECT_TRUE(looked);
}

[[gnu::noinline]] void aligned_frame(size_t bytes) {
  alignas(128) char aligned[256];
  auto variable = static_cast<char*>(alloca(bytes));
  asm volatile("" : : "r"(aligned), "r"(variable) : "memory");
  expect_same(walk_here());
  asm volatile("" : : "r"(aligned), "r"(variable) : "memory");
}

TEST(StackWalk, AgreesThroughFramesThatAlignTheStack) {
  aligned_frame(1000);
}

TEST(StackWalk, AgreesInASignalHandler) {
  signal(SIGUSR1, [](int) { expect_same(walk_here()); });
  raise(SIGUSR1);
  signal(SIGUSR1, SIG_DFL);
}

TEST(StackWalk, AgreesInAThread) {
  std::thread([] { expect_same(walk_here()); }).join();
}

TEST(StackWalk, LeavesOutItsOwn) {
  StackBounds bounds;
  uintptr_t frames[128];
  auto here = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  CodeRange own{0, ~uintptr_t{0}};
  EXPECT_EQ(walk_stack(frames, 128, own, &bounds, true), 0u);
  size_t count = walk_stack(frames, 128, {}, &bounds, true);
  EXPECT_NE(std::find(frames, frames + count, here), frames + count);
}

TEST(StackWalk, StopsAtTheLimit) {
  StackBounds bounds;
  uintptr_t frames[2];
  EXPECT_EQ(walk_stack(frames, 2, {}, &bounds, true), 2u);
}

// A coroutine's stack full of junk, between pages that must not be read.
ucontext_t g_main, g_coroutine;
size_t g_depth;

void coroutine() {
  StackBounds bounds;
  uintptr_t frames[128];
  g_depth = walk_stack(frames, 128, {}, &bounds, true);
}

TEST(StackWalk, EndsOnAStackOfJunk) {
  constexpr size_t kStack = 64 * 1024, kPage = 4096;
  auto memory = static_cast<char*>(
      mmap(nullptr, kStack + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(memory + kPage, kStack, PROT_READ | PROT_WRITE);
  memset(memory + kPage, 0xAB, kStack);
  getcontext(&g_coroutine);
  g_coroutine.uc_stack.ss_sp = memory + kPage;
  g_coroutine.uc_stack.ss_size = kStack;
  g_coroutine.uc_link = &g_main;
  makecontext(&g_coroutine, coroutine, 0);
  swapcontext(&g_main, &g_coroutine);
  EXPECT_GE(g_depth, 1u);
  EXPECT_LE(g_depth, 4u);
  munmap(memory, kStack + 2 * kPage);
}

TEST(StackWalk, ProbesWithoutTouching) {
  auto memory = static_cast<char*>(
      mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(memory + 4096, 4096, PROT_NONE);
  EXPECT_TRUE(probe_readable(reinterpret_cast<uintptr_t>(memory)));
  EXPECT_FALSE(probe_readable(reinterpret_cast<uintptr_t>(memory) + 4096));
  munmap(memory, 8192);
  EXPECT_FALSE(probe_readable(reinterpret_cast<uintptr_t>(memory)));
}

}  // namespace
}  // namespace ftprof
