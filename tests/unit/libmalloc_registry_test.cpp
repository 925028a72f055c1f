// The registry against a plain map, through growth and erasing, and its search without the lock.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <thread>

#include "preload/libmalloc/registry.h"

namespace ftprof::libmalloc {
namespace {

constexpr size_t kPage = 4096;

class RegistryTest : public testing::Test {
 protected:
  bool insert(uintptr_t page, size_t bytes = kPage) {
    size_t wanted = 0;
    {
      Held held(lock_);
      wanted = registry_->wanted_bytes(held);
    }
    Block memory = wanted ? pages::map(wanted, pages::size()) : Block{};
    Held held(lock_);
    if (memory.address) {
      EXPECT_EQ(registry_->adopt(held, memory).address, 0u);
    }
    return registry_->insert(held, {page * kPage, bytes});
  }
  void erase(uintptr_t page) {
    Held held(lock_);
    registry_->erase(held, page * kPage);
  }
  Registry::Found find(uintptr_t page) {
    Held held(lock_);
    return registry_->find(held, page * kPage);
  }
  bool maybe(uintptr_t address) const {
    return registry_->maybe_ours(reinterpret_cast<void*>(address));
  }

  Lock lock_;
  std::unique_ptr<Registry> registry_ = std::make_unique<Registry>();
};

TEST_F(RegistryTest, KnowsNothingAtFirst) {
  EXPECT_EQ(find(1).state, BlockState::foreign);
  EXPECT_EQ(find(0).state, BlockState::foreign);
  EXPECT_FALSE(maybe(kPage));
  EXPECT_FALSE(maybe(0));
}

TEST_F(RegistryTest, OnlyTheFirstAddressOfABlockIsOurs) {
  insert(10, 4 * kPage);
  EXPECT_TRUE(maybe(10 * kPage));
  EXPECT_FALSE(maybe(10 * kPage + 16));
  EXPECT_FALSE(maybe(11 * kPage));
  EXPECT_EQ(find(10).bytes, 4 * kPage);
}

TEST_F(RegistryTest, StateAndSizeChangeWithoutTouchingEachOther) {
  insert(10, 4 * kPage);
  Held held(lock_);
  registry_->set_state(held, 10 * kPage, BlockState::resting);
  EXPECT_EQ(registry_->find(held, 10 * kPage).state, BlockState::resting);
  EXPECT_EQ(registry_->find(held, 10 * kPage).bytes, 4 * kPage);
  registry_->set_state(held, 10 * kPage, BlockState::in_use);
  registry_->set_bytes(held, {10 * kPage, 2 * kPage});
  EXPECT_EQ(registry_->find(held, 10 * kPage).state, BlockState::in_use);
  EXPECT_EQ(registry_->find(held, 10 * kPage).bytes, 2 * kPage);
}

TEST_F(RegistryTest, ErasingAForeignAddressChangesNothing) {
  insert(10);
  erase(11);
  Held held(lock_);
  EXPECT_EQ(registry_->count(held), 1u);
}

TEST_F(RegistryTest, AgreesWithAMapOverManyChanges) {
  std::mt19937_64 random(1);
  std::map<uintptr_t, size_t> truth;
  for (int i = 0; i < 50000; ++i) {
    uintptr_t page = 1 + random() % 5000 * (random() % 2 ? 1 : 4096);
    if (truth.count(page)) {
      EXPECT_EQ(find(page).bytes, truth[page]);
      truth.erase(page);
      erase(page);
    } else {
      EXPECT_EQ(find(page).state, BlockState::foreign);
      truth[page] = (1 + random() % 100) * kPage;
      ASSERT_TRUE(insert(page, truth[page]));
    }
  }
  for (auto [page, bytes] : truth) {
    EXPECT_TRUE(maybe(page * kPage));
    EXPECT_EQ(find(page).bytes, bytes);
  }
  Held held(lock_);
  EXPECT_EQ(registry_->count(held), truth.size());
}

TEST_F(RegistryTest, WithoutMemoryToGrowItRefusesAndKeepsRoomForMoves) {
  Held held(lock_);
  uintptr_t page = 1;
  while (registry_->insert(held, {page * kPage, kPage})) ++page;
  EXPECT_GT(page, 800u);
  EXPECT_NE(registry_->wanted_bytes(held), 0u);
  registry_->erase(held, kPage);
  registry_->move_in(held, {page * kPage, kPage});
  EXPECT_EQ(registry_->find(held, page * kPage).state, BlockState::in_use);
}

TEST_F(RegistryTest, ATableThatCameTooLateIsGivenBack) {
  Block late = pages::map(kPage, kPage);
  Held held(lock_);
  EXPECT_EQ(registry_->adopt(held, late).address, late.address);
}

// What an owner asks while others insert, erase and grow: its own block is never called foreign.
TEST_F(RegistryTest, NeverMissesALivingBlockWithoutTheLock) {
  constexpr uintptr_t kKept = 64;
  for (uintptr_t page = 1; page <= kKept; ++page) insert(page);
  std::atomic<bool> stop{false};
  std::atomic<int> missed{0};
  std::thread reader([&] {
    while (!stop) {
      for (uintptr_t page = 1; page <= kKept; ++page) missed += !maybe(page * kPage);
    }
  });
  std::mt19937_64 random(2);
  for (int round = 0; round < 5; ++round) {
    for (uintptr_t page = 100; page < 100 + 3000; ++page) insert(page);
    for (uintptr_t page = 100; page < 100 + 3000; ++page) erase(page);
  }
  stop = true;
  reader.join();
  EXPECT_EQ(missed, 0);
}

}  // namespace
}  // namespace ftprof::libmalloc
