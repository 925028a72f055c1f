// The code of the sites: for each, a function that asks for memory and one that touches it. Reports
// are compared by these very names, so each asks by itself, with no helper between it and the call.
//
// A touch function steps over `count` addresses, `step` bytes apart, and returns the sum of the
// bytes that it read, or 0 when it only wrote.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ftprof::workload {

struct Steps {
  char* first = nullptr;
  size_t step = 0;
  size_t count = 0;
};

// What a written page holds: the low byte of its number in the block, plus one.
inline char page_value(size_t index) {
  return static_cast<char>(index % 251 + 1);
}

}  // namespace ftprof::workload

extern "C" {
void* write_allocate(size_t bytes);
void* partial_allocate(size_t bytes);
void* read_allocate(size_t bytes);
void* read_write_allocate(size_t bytes);
void* huge_allocate(size_t bytes);
void* populate_allocate(size_t bytes);
void* populate_write_allocate(size_t bytes);
void* kernel_copy_allocate(size_t bytes);
void* threads_allocate(size_t bytes);
void* remap_allocate(size_t bytes);
void* refault_allocate(size_t bytes);
void* malloc_allocate(size_t bytes);
void* calloc_allocate(size_t bytes);
void* new_array_allocate(size_t bytes);
void* aligned_allocate(size_t bytes);
void* move_old_allocate(size_t bytes);
void* move_allocate(void* old, size_t bytes);
void* copy_old_allocate(size_t bytes);
void* copy_allocate(void* old, size_t bytes);
void* heap_allocate(size_t bytes);

uint64_t write_touch(ftprof::workload::Steps steps);
uint64_t partial_touch(ftprof::workload::Steps steps);
uint64_t read_touch(ftprof::workload::Steps steps);
uint64_t read_write_read_touch(ftprof::workload::Steps steps);
uint64_t read_write_write_touch(ftprof::workload::Steps steps);
uint64_t huge_touch(ftprof::workload::Steps steps);
uint64_t populate_touch(ftprof::workload::Steps steps);
uint64_t populate_write_touch(ftprof::workload::Steps steps);
uint64_t threads_touch(ftprof::workload::Steps steps);
uint64_t remap_touch(ftprof::workload::Steps steps);
uint64_t refault_touch(ftprof::workload::Steps steps);
uint64_t malloc_touch(ftprof::workload::Steps steps);
uint64_t calloc_touch(ftprof::workload::Steps steps);
uint64_t new_array_touch(ftprof::workload::Steps steps);
uint64_t aligned_touch(ftprof::workload::Steps steps);
uint64_t move_touch(ftprof::workload::Steps steps);
uint64_t copy_touch(ftprof::workload::Steps steps);
uint64_t heap_touch(ftprof::workload::Steps steps);

// Reads the whole block from a file whose every page holds page_value; the kernel touches it.
bool kernel_copy_touch(int file, char* block, size_t bytes);
// MADV_POPULATE_WRITE; false where the kernel does not know it (before 5.14).
bool populate_write_advise(char* block, size_t bytes);
// Sums one byte of each step, for the proof of work; it must find its pages resident.
uint64_t read_back(ftprof::workload::Steps steps);
}
