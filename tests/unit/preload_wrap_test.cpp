// The wrap layer's logic and order with a fake allocator: record.h's functions are this file's own.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "preload/wrap.h"

namespace ftprof {

// What the layer did, in order.
static std::vector<std::string> g_log;
static bool g_tracked, g_recording = true, g_sampled = true;

static void log(const std::string& what) {
  g_log.push_back(what);
}

CallMeter::CallMeter(CallFaults faults) : faults_(faults), entered_(0) {}
void CallMeter::before_call() {}
void CallMeter::after_call() {}
void CallMeter::finish(uint64_t, double, Charge) const {}
bool can_record(bool) {
  return g_recording;
}
void record_block(const NewBlock& block, const CallMeter&) {
  log("block " + std::string(trace::api_name(block.api)) + " " + std::to_string(block.bytes) +
      (block.moved_from != 0 ? " moved" : ""));
}
bool take_block(uintptr_t, TrackedBlock* block) {
  block->bytes = 1000;
  return g_tracked;
}
void reinstate_block(uintptr_t, const TrackedBlock& block) {
  log("reinstate " + std::to_string(block.bytes));
}
void record_release(trace::Api api, uintptr_t, size_t bytes) {
  log("release " + std::string(trace::api_name(api)) + " " + std::to_string(bytes));
}
void record_released(uintptr_t, size_t bytes, const CallMeter&) {
  log("released " + std::to_string(bytes));
}
bool sample_block(uint64_t, double* weight) {
  *weight = 1;
  return g_sampled;
}
thread_local constinit ThreadState t_thread{};

namespace {

using trace::Api;
using Log = std::vector<std::string>;

char g_memory[2];

class Wrap : public testing::Test {
 protected:
  void SetUp() override {
    g_log.clear();
    g_tracked = false;
    g_recording = g_sampled = true;
  }
  static void* give(void* result) {
    log(t_thread.inside ? "call inside" : "call");
    return result;
  }
};

TEST_F(Wrap, AnAllocationIsRecordedAfterItSucceeded) {
  void* block = wrap_allocation(Api::calloc, 500, [] { return give(g_memory); });
  EXPECT_EQ(block, g_memory);
  EXPECT_EQ(g_log, (Log{"call inside", "block calloc 500"}));
  EXPECT_FALSE(t_thread.inside);
}

TEST_F(Wrap, AFailedAllocationIsNoBlock) {
  EXPECT_EQ(wrap_allocation(Api::malloc, 500, [] { return give(nullptr); }), nullptr);
  EXPECT_EQ(g_log, (Log{"call inside"}));
}

TEST_F(Wrap, WhatIsPassedByIsCalledAllTheSame) {
  g_sampled = false;
  EXPECT_EQ(wrap_allocation(Api::malloc, 500, [] { return give(g_memory); }), g_memory);
  EXPECT_EQ(g_log, (Log{"call"}));
}

TEST_F(Wrap, AThrowingAllocationLeavesNoMark) {
  EXPECT_THROW(
      wrap_throwing_allocation(Api::operator_new, 500, []() -> void* { throw std::bad_alloc(); }),
      std::bad_alloc);
  EXPECT_FALSE(t_thread.inside);
  EXPECT_TRUE(g_log.empty());
}

TEST_F(Wrap, PosixMemalignKeepsItsContract) {
  void* to = &g_memory;
  int status = wrap_posix_memalign(trace::Api::posix_memalign, &to, 64, [] { return 12; });
  EXPECT_EQ(status, 12);
  EXPECT_EQ(to, &g_memory);
  EXPECT_TRUE(g_log.empty());
  EXPECT_EQ(wrap_posix_memalign(trace::Api::posix_memalign, &to, 64, [] { return 0; }), 0);
  EXPECT_EQ(g_log, (Log{"block posix_memalign 64"}));
}

TEST_F(Wrap, AReleaseIsRecordedBeforeTheAddressIsFree) {
  g_tracked = true;
  wrap_release(Api::free, g_memory, [] { give(nullptr); });
  EXPECT_EQ(g_log, (Log{"release free 1000", "call inside", "released 1000"}));
}

TEST_F(Wrap, AnUntrackedReleaseIsOnlyCalled) {
  wrap_release(Api::free, g_memory, [] { give(nullptr); });
  EXPECT_EQ(g_log, (Log{"call"}));
}

TEST_F(Wrap, AGrowingBlockIsReleasedAndHandedOutAgain) {
  g_tracked = true;
  wrap_reallocation(Api::realloc, g_memory, 2000, 100, [] { return give(g_memory + 1); });
  EXPECT_EQ(g_log, (Log{"release realloc 1000", "call inside", "released 1000",
                        "block realloc 2000 moved"}));
}

TEST_F(Wrap, AFailedReallocLeavesTheOldBlock) {
  g_tracked = true;
  EXPECT_EQ(wrap_reallocation(Api::realloc, g_memory, 2000, 100, [] { return give(nullptr); }),
            nullptr);
  EXPECT_EQ(g_log, (Log{"release realloc 1000", "call inside", "reinstate 1000"}));
}

TEST_F(Wrap, ReallocToNothingFrees) {
  g_tracked = true;
  wrap_reallocation(Api::realloc, g_memory, 0, 100, [] { return give(nullptr); });
  EXPECT_EQ(g_log, (Log{"release realloc 1000", "call inside", "released 1000"}));
}

TEST_F(Wrap, AShrinkingBlockIsOnlyReleased) {
  g_tracked = true;
  wrap_reallocation(Api::realloc, g_memory, 50, 100, [] { return give(g_memory); });
  EXPECT_EQ(g_log, (Log{"release realloc 1000", "call inside", "released 1000"}));
}

TEST_F(Wrap, ASmallBlockThatGrowsIsNew) {
  wrap_reallocation(Api::reallocarray, g_memory, 2000, 100, [] { return give(g_memory + 1); });
  EXPECT_EQ(g_log, (Log{"call inside", "block reallocarray 2000"}));
}

TEST_F(Wrap, ReallocOfNullIsAnAllocation) {
  wrap_reallocation(Api::realloc, nullptr, 2000, 100, [] { return give(g_memory); });
  EXPECT_EQ(g_log, (Log{"call inside", "block realloc 2000"}));
}

TEST_F(Wrap, ATrackedBlockKeepsItsReleaseWhenTheNewOneIsPassedBy) {
  g_tracked = true;
  g_sampled = false;
  wrap_reallocation(Api::realloc, g_memory, 2000, 100, [] { return give(g_memory + 1); });
  EXPECT_EQ(g_log, (Log{"release realloc 1000", "call inside", "released 1000"}));
}

TEST_F(Wrap, WithoutARecordingTheTableStaysTrue) {
  g_recording = false;
  g_tracked = true;
  wrap_reallocation(Api::realloc, g_memory, 2000, 100, [] { return give(nullptr); });
  EXPECT_EQ(g_log, (Log{"call", "reinstate 1000"}));
}

}  // namespace
}  // namespace ftprof
