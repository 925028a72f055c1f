// Faults and resident pages as the kernel counts them: the witnesses of every experiment.
//
// The readers allocate nothing but what their names say and take no lock, so that they can stand
// right before and after a measured window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ftprof::workload {

uint64_t thread_faults();   // minor + major of the calling thread
uint64_t process_faults();  // minor + major of the process

// One byte per page of [address, address + bytes), 1 where the page is in the page table. The range
// is widened to whole pages.
std::vector<unsigned char> page_map(const void* address, size_t bytes);
uint64_t resident_pages(const void* address, size_t bytes);

// Pages of the range that map the shared zero page; -1 where the kernel cannot tell (before 6.7).
int64_t zero_pages(const void* address, size_t bytes);

}  // namespace ftprof::workload
