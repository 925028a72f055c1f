#include "tests/workload/cycles_code.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

#include "tests/workload/clock.h"

using ftprof::workload::now_ns;

// Global names, C linkage and noipa: see tests/workload/experiment.h.
#define PASS extern "C" [[gnu::noipa]]

PASS void* cycle_a_map(size_t bytes) {
  return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

PASS void* cycle_b_map(size_t bytes) {
  return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

PASS void* cycle_c_map(size_t bytes) {
  return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

PASS void cycle_a_unmap(void* block, size_t bytes) {
  munmap(block, bytes);
}
PASS void* cycle_d_malloc(size_t bytes) {
  return malloc(bytes);
}
PASS void cycle_d_free(void* block) {
  free(block);
}

PASS void cycle_a_first_pass(char* block, size_t pages, size_t page, char value) {
  for (size_t i = 0; i < pages; ++i) block[i * page] = value;
}

PASS void cycle_a_second_pass(char* block, size_t pages, size_t page, char value) {
  for (size_t i = 0; i < pages; ++i) block[i * page] = value;
}

PASS void cycle_a_repeated_pass(char* block, size_t pages, size_t page, char value) {
  for (size_t i = 0; i < pages; ++i) block[i * page] = value;
}

PASS void cycle_d_first_pass(char* block, size_t pages, size_t page, char value) {
  for (size_t i = 0; i < pages; ++i) block[i * page] = value;
}

PASS void cycle_d_second_pass(char* block, size_t pages, size_t page, char value) {
  for (size_t i = 0; i < pages; ++i) block[i * page] = value;
}

PASS void cycle_a_fill(uint64_t* words, size_t count, uint64_t factor) {
  for (size_t i = 0; i < count; ++i) words[i] = i * factor;
}

PASS void cycle_b_fill(uint64_t* words, size_t count, uint64_t factor) {
  for (size_t i = 0; i < count; ++i) words[i] = i * factor;
}

PASS void cycle_c_first_pass(char* block, size_t pages, size_t page, char value, uint32_t* ns) {
  uint64_t before = now_ns();
  for (size_t i = 0; i < pages; ++i) {
    *static_cast<volatile char*>(block + i * page) = value;
    uint64_t after = now_ns();
    ns[i] = static_cast<uint32_t>(std::min<uint64_t>(after - before, UINT32_MAX));
    before = after;
  }
}

PASS void cycle_c_second_pass(char* block, size_t pages, size_t page, char value, uint32_t* ns) {
  uint64_t before = now_ns();
  for (size_t i = 0; i < pages; ++i) {
    *static_cast<volatile char*>(block + i * page) = value;
    uint64_t after = now_ns();
    ns[i] = static_cast<uint32_t>(std::min<uint64_t>(after - before, UINT32_MAX));
    before = after;
  }
}

PASS uint64_t cycle_sum_pages(const char* block, size_t pages, size_t page) {
  uint64_t sum = 0;
  for (size_t i = 0; i < pages; ++i) sum += static_cast<unsigned char>(block[i * page]);
  return sum;
}

PASS uint64_t cycle_sum_words(const uint64_t* words, size_t count) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; ++i) sum += words[i];
  return sum;
}
