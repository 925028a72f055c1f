// The passes of `cycles`, one function each, so that a report names the pass that paid.
//
// A touch pass stores `value` into the first byte of each of `pages` pages; a timed pass also
// leaves in ns[i] the time from the timestamp before store i to the one after it (one timestamp
// between two stores); a fill stores word i = i * factor.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
void* cycle_a_map(size_t bytes);
void cycle_a_first_pass(char* block, size_t pages, size_t page, char value);
void cycle_a_second_pass(char* block, size_t pages, size_t page, char value);
void cycle_a_repeated_pass(char* block, size_t pages, size_t page, char value);
void cycle_a_fill(uint64_t* words, size_t count, uint64_t factor);
void cycle_a_unmap(void* block, size_t bytes);

void* cycle_b_map(size_t bytes);
void cycle_b_fill(uint64_t* words, size_t count, uint64_t factor);

void* cycle_c_map(size_t bytes);
void cycle_c_first_pass(char* block, size_t pages, size_t page, char value, uint32_t* ns);
void cycle_c_second_pass(char* block, size_t pages, size_t page, char value, uint32_t* ns);

void* cycle_d_malloc(size_t bytes);
void cycle_d_first_pass(char* block, size_t pages, size_t page, char value);
void cycle_d_second_pass(char* block, size_t pages, size_t page, char value);
void cycle_d_free(void* block);

// The proofs of work: of one byte of every page, and of every word.
uint64_t cycle_sum_pages(const char* block, size_t pages, size_t page);
uint64_t cycle_sum_words(const uint64_t* words, size_t count);
}
