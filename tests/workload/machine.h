// What the experiments need to know about the machine and the allocator that they run on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ftprof::workload {

size_t page_bytes();
size_t huge_page_bytes();  // 0 where the kernel has no huge pages

// The first line of a file, without its end; empty when it cannot be read.
std::string first_line(const std::string& path);

// All lines; none when it cannot be read.
std::vector<std::string> lines(const std::string& path);

// A value of /proc/meminfo, and of /proc/self/status ("VmRSS"), in bytes; 0 when absent.
uint64_t memory_bytes(const std::string& key);
uint64_t own_memory_bytes(const std::string& key);

// False, with one line on standard error, when so much memory is not to be had.
bool memory_suffices(uint64_t bytes);

// "madvise" of "always [madvise] never"; empty when the kernel has no transparent huge pages.
std::string thp_setting(const std::string& name);

// The allocator behind malloc, by the names that only it exports: "jemalloc 5.3.0-0", "mimalloc",
// "tcmalloc", "ftprof-libmalloc", "glibc 2.36".
std::string allocator_name();
bool allocator_is_glibc();

// Every instruction of this program, the clock and the fault counters are made resident, so that
// using them for the first time takes no fault in the middle of a measurement.
void load_program_text();

}  // namespace ftprof::workload
