#include "tests/workload/pool.h"

#include <sys/mman.h>

#include "preload/annotate.h"

namespace ftprof::workload {

KeepingPool::KeepingPool(size_t block_bytes, size_t expected_blocks) : bytes_(block_bytes) {
  free_.reserve(expected_blocks);
  all_.reserve(expected_blocks);
}

KeepingPool::~KeepingPool() {
  for (void* block : all_) munmap(block, bytes_);
}

void* KeepingPool::take() {
  void* block = free_.empty() ? map() : free_.back();
  if (!block) return nullptr;
  if (!free_.empty()) free_.pop_back();
  FTPROF_POOL_HANDOUT(block, bytes_);
  return block;
}

void* KeepingPool::map() {
  void* block = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return nullptr;
  all_.push_back(block);
  return block;
}

void KeepingPool::give_back(void* block) {
  FTPROF_POOL_GIVEBACK(block, bytes_);
  free_.push_back(block);
}

}  // namespace ftprof::workload
