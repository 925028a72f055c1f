#include "tests/workload/sites_code.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <new>

using ftprof::workload::page_value;
using ftprof::workload::Steps;

// Global names, C linkage and noipa: see tests/workload/experiment.h.
#define SITE_FUNCTION extern "C" [[gnu::noipa]]

namespace {
constexpr int kReadWrite = PROT_READ | PROT_WRITE;
constexpr int kPrivate = MAP_PRIVATE | MAP_ANONYMOUS;
constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, Linux 5.14
}  // namespace

SITE_FUNCTION void* write_allocate(size_t bytes) {
  return mmap(nullptr, bytes, kReadWrite, kPrivate, -1, 0);
}

SITE_FUNCTION void* partial_allocate(size_t bytes) {
  return mmap(nullptr, bytes, kReadWrite, kPrivate, -1, 0);
}

SITE_FUNCTION void* read_allocate(size_t bytes) {
  return mmap(nullptr, bytes, kReadWrite, kPrivate, -1, 0);
}

SITE_FUNCTION void* read_write_allocate(size_t bytes) {
  return mmap(nullptr, bytes, kReadWrite, kPrivate, -1, 0);
}

SITE_FUNCTION void* populate_write_allocate(size_t bytes) {
  return mmap(nullptr, bytes, kReadWrite, kPrivate, -1, 0);
}

SITE_FUNCTION void* kernel_copy_allocate(size_t bytes) {
  return mmap(nullptr, bytes, kReadWrite, kPrivate, -1, 0);
}

SITE_FUNCTION void* threads_allocate(size_t bytes) {
  return mmap(nullptr, bytes, kReadWrite, kPrivate, -1, 0);
}

SITE_FUNCTION void* remap_allocate(size_t bytes) {
  return mmap(nullptr, bytes, kReadWrite, kPrivate, -1, 0);
}

SITE_FUNCTION void* refault_allocate(size_t bytes) {
  return mmap(nullptr, bytes, kReadWrite, kPrivate, -1, 0);
}

SITE_FUNCTION void* huge_allocate(size_t bytes) {
  void* block = mmap(nullptr, bytes, kReadWrite, kPrivate, -1, 0);
  madvise(block, bytes, MADV_HUGEPAGE);
  return block;
}

SITE_FUNCTION void* populate_allocate(size_t bytes) {
  return mmap(nullptr, bytes, kReadWrite, kPrivate | MAP_POPULATE, -1, 0);
}

SITE_FUNCTION void* malloc_allocate(size_t bytes) {
  return malloc(bytes);
}
SITE_FUNCTION void* calloc_allocate(size_t bytes) {
  return calloc(1, bytes);
}
SITE_FUNCTION void* new_array_allocate(size_t bytes) {
  return ::operator new[](bytes);
}
SITE_FUNCTION void* move_old_allocate(size_t bytes) {
  return malloc(bytes);
}
SITE_FUNCTION void* move_allocate(void* old, size_t bytes) {
  return realloc(old, bytes);
}
SITE_FUNCTION void* copy_old_allocate(size_t bytes) {
  return malloc(bytes);
}
SITE_FUNCTION void* copy_allocate(void* old, size_t bytes) {
  return realloc(old, bytes);
}
SITE_FUNCTION void* heap_allocate(size_t bytes) {
  return malloc(bytes);
}

SITE_FUNCTION void* aligned_allocate(size_t bytes) {
  void* block = nullptr;
  return posix_memalign(&block, 65536, bytes) == 0 ? block : nullptr;
}

SITE_FUNCTION uint64_t write_touch(Steps steps) {
  for (size_t i = 0; i < steps.count; ++i) steps.first[i * steps.step] = page_value(i);
  return 0;
}

SITE_FUNCTION uint64_t partial_touch(Steps steps) {
  for (size_t i = 0; i < steps.count; ++i) steps.first[i * steps.step] = page_value(i);
  return 0;
}

SITE_FUNCTION uint64_t read_write_write_touch(Steps steps) {
  for (size_t i = 0; i < steps.count; ++i) steps.first[i * steps.step] = page_value(i);
  return 0;
}

SITE_FUNCTION uint64_t huge_touch(Steps steps) {
  for (size_t i = 0; i < steps.count; ++i) steps.first[i * steps.step] = page_value(i);
  return 0;
}

SITE_FUNCTION uint64_t populate_touch(Steps steps) {
  for (size_t i = 0; i < steps.count; ++i) steps.first[i * steps.step] = page_value(i);
  return 0;
}

SITE_FUNCTION uint64_t populate_write_touch(Steps steps) {
  for (size_t i = 0; i < steps.count; ++i) steps.first[i * steps.step] = page_value(i);
  return 0;
}

SITE_FUNCTION uint64_t threads_touch(Steps steps) {
  for (size_t i = 0; i < steps.count; ++i) steps.first[i * steps.step] = page_value(i);
  return 0;
}

SITE_FUNCTION uint64_t remap_touch(Steps steps) {
  for (size_t i = 0; i < steps.count; ++i) steps.first[i * steps.step] = page_value(i);
  return 0;
}

SITE_FUNCTION uint64_t refault_touch(Steps steps) {
  for (size_t i = 0; i < steps.count; ++i) steps.first[i * steps.step] = page_value(i);
  return 0;
}

SITE_FUNCTION uint64_t malloc_touch(Steps steps) {
  for (size_t i = 0; i < steps.count; ++i) steps.first[i * steps.step] = page_value(i);
  return 0;
}

SITE_FUNCTION uint64_t calloc_touch(Steps steps) {
  for (size_t i = 0; i < steps.count; ++i) steps.first[i * steps.step] = page_value(i);
  return 0;
}

SITE_FUNCTION uint64_t new_array_touch(Steps steps) {
  for (size_t i = 0; i < steps.count; ++i) steps.first[i * steps.step] = page_value(i);
  return 0;
}

SITE_FUNCTION uint64_t aligned_touch(Steps steps) {
  for (size_t i = 0; i < steps.count; ++i) steps.first[i * steps.step] = page_value(i);
  return 0;
}

SITE_FUNCTION uint64_t move_touch(Steps steps) {
  for (size_t i = 0; i < steps.count; ++i) steps.first[i * steps.step] = page_value(i);
  return 0;
}

SITE_FUNCTION uint64_t copy_touch(Steps steps) {
  for (size_t i = 0; i < steps.count; ++i) steps.first[i * steps.step] = page_value(i);
  return 0;
}

SITE_FUNCTION uint64_t heap_touch(Steps steps) {
  for (size_t i = 0; i < steps.count; ++i) steps.first[i * steps.step] = page_value(i);
  return 0;
}

SITE_FUNCTION uint64_t read_touch(Steps steps) {
  uint64_t sum = 0;
  for (size_t i = 0; i < steps.count; ++i)
    sum += static_cast<unsigned char>(steps.first[i * steps.step]);
  return sum;
}

SITE_FUNCTION uint64_t read_write_read_touch(Steps steps) {
  uint64_t sum = 0;
  for (size_t i = 0; i < steps.count; ++i)
    sum += static_cast<unsigned char>(steps.first[i * steps.step]);
  return sum;
}

SITE_FUNCTION bool kernel_copy_touch(int file, char* block, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    ssize_t got = pread(file, block + done, bytes - done, static_cast<off_t>(done));
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

SITE_FUNCTION bool populate_write_advise(char* block, size_t bytes) {
  return madvise(block, bytes, kPopulateWrite) == 0;
}

SITE_FUNCTION uint64_t read_back(Steps steps) {
  uint64_t sum = 0;
  for (size_t i = 0; i < steps.count; ++i)
    sum += static_cast<unsigned char>(steps.first[i * steps.step]);
  return sum;
}
