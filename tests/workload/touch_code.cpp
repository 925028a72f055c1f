#include "tests/workload/touch_code.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <vector>

// Global names, C linkage and noipa: see tests/workload/experiment.h.
#define WAY extern "C" [[gnu::noipa]]

namespace {
constexpr int kReadWrite = PROT_READ | PROT_WRITE;
constexpr int kPrivate = MAP_PRIVATE | MAP_ANONYMOUS;
constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, Linux 5.14

// A failed advice leaves the plain mapping: its faults then show in the first pass.
void* advised(void* mapping, size_t bytes, int advice) {
  if (mapping != MAP_FAILED) madvise(mapping, bytes, advice);
  return mapping;
}
}  // namespace

WAY void* touch_map(size_t bytes) {
  return mmap(nullptr, bytes, kReadWrite, kPrivate, -1, 0);
}

WAY void* touch_map_no_huge(size_t bytes) {
  return advised(mmap(nullptr, bytes, kReadWrite, kPrivate, -1, 0), bytes, MADV_NOHUGEPAGE);
}

WAY void* touch_map_huge(size_t bytes) {
  return advised(mmap(nullptr, bytes, kReadWrite, kPrivate, -1, 0), bytes, MADV_HUGEPAGE);
}

WAY void* touch_map_populate(size_t bytes) {
  return mmap(nullptr, bytes, kReadWrite, kPrivate | MAP_POPULATE, -1, 0);
}

WAY void* touch_map_populate_write(size_t bytes) {
  return advised(mmap(nullptr, bytes, kReadWrite, kPrivate, -1, 0), bytes, kPopulateWrite);
}

WAY void* touch_malloc_memset(size_t bytes) {
  void* block = malloc(bytes);
  if (block) memset(block, 1, bytes);
  return block;
}

WAY void* touch_calloc(size_t bytes) {
  return calloc(1, bytes);
}
WAY void* touch_vector_zero(size_t bytes) {
  return new std::vector<unsigned char>(bytes);
}
WAY void* touch_vector_one(size_t bytes) {
  return new std::vector<unsigned char>(bytes, 1);
}

WAY void touch_first_pass(char* block, size_t pages, size_t page, char value) {
  for (size_t i = 0; i < pages; ++i) block[i * page] = value;
}

WAY void touch_second_pass(char* block, size_t pages, size_t page, char value) {
  for (size_t i = 0; i < pages; ++i) block[i * page] = value;
}

WAY uint64_t touch_sum(const char* block, size_t pages, size_t page) {
  uint64_t sum = 0;
  for (size_t i = 0; i < pages; ++i) sum += static_cast<unsigned char>(block[i * page]);
  return sum;
}
