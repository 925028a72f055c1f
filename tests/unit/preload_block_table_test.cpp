#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <thread>
#include <vector>

#include "preload/block_table.h"

namespace ftprof {
namespace {

void* zeroed(size_t bytes) {
  return calloc(1, bytes);
}
void* nothing(size_t) {
  return nullptr;
}

TEST(BlockTable, GivesBackWhatWasAdded) {
  BlockTable table(zeroed);
  ASSERT_TRUE(table.add(0x10010, {4096, 7, 1, 2, 3.5f}));
  TrackedBlock block;
  ASSERT_TRUE(table.take(0x10010, &block));
  EXPECT_EQ(block.bytes, 4096u);
  EXPECT_EQ(block.stack, 7u);
  EXPECT_EQ(block.api, 1);
  EXPECT_EQ(block.flags, 2);
  EXPECT_EQ(block.weight, 3.5f);
}

TEST(BlockTable, ForgetsWhatWasTaken) {
  BlockTable table(zeroed);
  TrackedBlock block;
  EXPECT_FALSE(table.take(0x10010, &block));
  ASSERT_TRUE(table.add(0x10010, {}));
  EXPECT_FALSE(table.take(0x10020, &block));
  EXPECT_TRUE(table.take(0x10010, &block));
  EXPECT_FALSE(table.take(0x10010, &block));
}

TEST(BlockTable, GrowsPastItsFirstTable) {
  BlockTable table(zeroed);
  constexpr uintptr_t kBlocks = 100000, kStep = 0x1000;
  for (uintptr_t i = 1; i <= kBlocks; ++i) ASSERT_TRUE(table.add(i * kStep, {i, 0, 0, 0, 1}));
  size_t seen = 0;
  table.visit([&](uintptr_t address, const TrackedBlock& block) {
    EXPECT_EQ(block.bytes * kStep, address);
    ++seen;
  });
  EXPECT_EQ(seen, kBlocks);
  TrackedBlock block;
  for (uintptr_t i = 1; i <= kBlocks; ++i) {
    ASSERT_TRUE(table.take(i * kStep, &block));
    ASSERT_EQ(block.bytes, i);
  }
}

TEST(BlockTable, ReusesTheRoomOfTakenBlocks) {
  size_t asked = 0;
  static size_t* counter;
  counter = &asked;
  BlockTable table([](size_t bytes) {
    ++*counter;
    return zeroed(bytes);
  });
  TrackedBlock block;
  for (uintptr_t i = 1; i <= 1000000; ++i) {
    ASSERT_TRUE(table.add(i * 0x20000, {}));
    ASSERT_TRUE(table.take(i * 0x20000, &block));
  }
  EXPECT_EQ(asked, 1u);
}

TEST(BlockTable, SaysWhenThereIsNoMemory) {
  BlockTable table(nothing);
  TrackedBlock block;
  EXPECT_FALSE(table.add(0x10010, {}));
  EXPECT_FALSE(table.take(0x10010, &block));
}

// Threads that hand blocks to each other, as C14 of the field's bug reports does.
TEST(BlockTable, KeepsApartWhatThreadsDo) {
  BlockTable table(zeroed);
  std::vector<std::thread> threads;
  for (uintptr_t thread = 1; thread <= 4; ++thread)
    threads.emplace_back([&table, thread] {
      TrackedBlock block;
      for (uintptr_t i = 1; i <= 20000; ++i) {
        uintptr_t address = (thread << 40) + (i % 500) * 0x1000;
        ASSERT_TRUE(table.add(address, {i, 0, 0, 0, 1}));
        ASSERT_TRUE(table.take(address, &block));
        ASSERT_EQ(block.bytes, i);
      }
    });
  for (std::thread& thread : threads) thread.join();
  table.visit([](uintptr_t, const TrackedBlock&) { ADD_FAILURE() << "nothing should be left"; });
}

}  // namespace
}  // namespace ftprof
