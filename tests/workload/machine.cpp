#include "tests/workload/machine.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>

#include "tests/workload/clock.h"
#include "tests/workload/faults.h"

namespace ftprof::workload {

size_t page_bytes() {
  static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::vector<std::string> lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> all;
  for (std::string line; std::getline(file, line);) all.push_back(line);
  return all;
}

namespace {

// "Key:   123 kB" in a file of such lines.
uint64_t kib_value(const std::string& path, const std::string& key) {
  for (const std::string& line : lines(path))
    if (line.rfind(key + ":", 0) == 0) return std::stoull(line.substr(key.size() + 1)) * 1024;
  return 0;
}

}  // namespace

uint64_t memory_bytes(const std::string& key) {
  return kib_value("/proc/meminfo", key);
}
uint64_t own_memory_bytes(const std::string& key) {
  return kib_value("/proc/self/status", key);
}

bool memory_suffices(uint64_t bytes) {
  uint64_t available = memory_bytes("MemAvailable");
  if (available == 0 || bytes <= available / 10 * 9) return true;
  std::cerr << "ftprof-workload: " << (bytes >> 20) << " MiB are asked for, " << (available >> 20)
            << " MiB are available; choose a smaller size\n";
  return false;
}

size_t huge_page_bytes() {
  std::string text = first_line("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
  return text.empty() ? 0 : std::stoul(text);
}

std::string thp_setting(const std::string& name) {
  std::string line = first_line("/sys/kernel/mm/transparent_hugepage/" + name);
  size_t open = line.find('['), close = line.find(']');
  if (open == std::string::npos || close == std::string::npos) return "";
  return line.substr(open + 1, close - open - 1);
}

namespace {

std::string jemalloc_version() {
  using Mallctl = int (*)(const char*, void*, size_t*, void*, size_t);
  auto mallctl = reinterpret_cast<Mallctl>(dlsym(RTLD_DEFAULT, "mallctl"));
  const char* version = nullptr;
  size_t size = sizeof version;
  if (!mallctl || mallctl("version", &version, &size, nullptr, 0) != 0) return "";
  std::string text = std::string(" ") + version;
  return text.substr(0, text.find("-g"));  // 5.3.0-0, without the commit's hash
}

int find_own_allocator(dl_phdr_info* info, size_t, void* found) {
  if (std::strstr(info->dlpi_name, "libftprof-libmalloc")) *static_cast<bool*>(found) = true;
  return 0;
}

bool own_allocator_loaded() {
  bool found = false;
  dl_iterate_phdr(find_own_allocator, &found);
  return found;
}

int load_text(dl_phdr_info* info, size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
    uintptr_t begin = (info->dlpi_addr + part.p_vaddr) & ~(page_bytes() - 1);
    uintptr_t end = info->dlpi_addr + part.p_vaddr + part.p_memsz;
    for (uintptr_t at = begin; at < end; at += page_bytes())
      (void)*reinterpret_cast<const volatile char*>(at);
  }
  return 1;  // the program comes first; the libraries are not ours to load
}

}  // namespace

std::string allocator_name() {
  if (own_allocator_loaded()) return "ftprof-libmalloc";
  if (dlsym(RTLD_DEFAULT, "mallctl")) return "jemalloc" + jemalloc_version();
  if (dlsym(RTLD_DEFAULT, "mi_version")) return "mimalloc";
  if (dlsym(RTLD_DEFAULT, "tc_version")) return "tcmalloc";
  return std::string("glibc ") + gnu_get_libc_version();
}

bool allocator_is_glibc() {
  return allocator_name().rfind("glibc", 0) == 0;
}

void load_program_text() {
  dl_iterate_phdr(load_text, nullptr);
}

}  // namespace ftprof::workload
