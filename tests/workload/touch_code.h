// The ways of `touch` to ask for memory, one function each, and the two passes over it.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
void* touch_map(size_t bytes);
void* touch_map_no_huge(size_t bytes);
void* touch_map_huge(size_t bytes);
void* touch_map_populate(size_t bytes);
void* touch_map_populate_write(size_t bytes);
void* touch_malloc_memset(size_t bytes);
void* touch_calloc(size_t bytes);
void* touch_vector_zero(size_t bytes);  // a new std::vector<unsigned char>
void* touch_vector_one(size_t bytes);

void touch_first_pass(char* block, size_t pages, size_t page, char value);
void touch_second_pass(char* block, size_t pages, size_t page, char value);
uint64_t touch_sum(const char* block, size_t pages, size_t page);
}
