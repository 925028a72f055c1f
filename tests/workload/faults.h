// Faults and resident pages as the kernel counts them: the witnesses of every experiment.
//
// The readers allocate nothing, so that they can stand right before and after a measured window and
// between the calls of an allocator under test.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ftprof::workload {

uint64_t thread_faults();   // minor + major of the calling thread
uint64_t process_faults();  // minor + major of the process

// Pages of [address, address + bytes), widened to whole pages, that are in the page table.
uint64_t resident_pages(const void* address, size_t bytes);

// Pages of the range that map the shared zero page; -1 where the kernel cannot tell (before 6.7).
int64_t zero_pages(const void* address, size_t bytes);

}  // namespace ftprof::workload
