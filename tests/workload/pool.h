// A pool as programs write them: blocks of one size, mapped when none is free, kept with their
// pages when they come back, newest first, and each hand-out and give-back marked for ftprof. Not
// thread-safe; its user hands it over with itself.
#pragma once

#include <cstddef>
#include <vector>

namespace ftprof::workload {

class KeepingPool {
 public:
  KeepingPool(size_t block_bytes, size_t expected_blocks);
  ~KeepingPool();
  KeepingPool(const KeepingPool&) = delete;
  KeepingPool& operator=(const KeepingPool&) = delete;

  void* take();  // null when the kernel refuses
  void give_back(void* block);

 private:
  void* map();

  size_t bytes_;
  std::vector<void*> free_;
  std::vector<void*> all_;
};

}  // namespace ftprof::workload
