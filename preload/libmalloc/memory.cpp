#include "preload/libmalloc/memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "preload/libmalloc/pages.h"

namespace ftprof::libmalloc {
namespace {

constexpr size_t kUnknown = SIZE_MAX;
constexpr size_t kFileBytes = 2048;  // what is looked for stands near the top; stacks may be small

// By syscall(): open() and read() of libc are cancellation points, which free() must not be, and
// other preloaded libraries hook them.
bool read_file(const char* path, char (&text)[kFileBytes]) {
  long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return false;
  long got = syscall(SYS_read, fd, text, kFileBytes - 1);
  syscall(SYS_close, fd);
  text[got > 0 ? got : 0] = '\0';
  return got > 0;
}

size_t parse_number(const char* digits) {
  if (*digits < '0' || *digits > '9') return kUnknown;
  size_t number = 0;
  for (; *digits >= '0' && *digits <= '9'; ++digits) {
    number = number * 10 + static_cast<size_t>(*digits - '0');
  }
  return number;
}

const char* after_line_start(const char* text, const char* key) {
  size_t length = strlen(key);
  for (const char* line = text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, key, length) == 0) return line + length;
  }
  return nullptr;
}

size_t machine_available(char (&text)[kFileBytes]) {
  if (!read_file("/proc/meminfo", text)) return kUnknown;
  size_t kib = number_after(text, "MemAvailable:");
  return kib == kUnknown ? kUnknown : kib * 1024;
}

// A directory of the unified hierarchy, "/sys/fs/cgroup/<our group>".
struct GroupPath {
  char text[512];
  bool find(char (&buffer)[kFileBytes]) {
    if (!read_file("/proc/self/cgroup", buffer)) return false;
    const char* path = after_line_start(buffer, "0::");
    if (!path) return false;
    int length = static_cast<int>(strcspn(path, "\n"));
    return snprintf(text, sizeof text, "/sys/fs/cgroup%.*s", length, path) < int{sizeof text};
  }
  size_t number(const char* file, const char* key, char (&buffer)[kFileBytes]) const {
    char path[sizeof text + 32];
    snprintf(path, sizeof path, "%s/%s", text, file);
    return read_file(path, buffer) ? number_after(buffer, key) : kUnknown;
  }
};

size_t group_available(char (&buffer)[kFileBytes]) {
  GroupPath group;
  if (!group.find(buffer)) return kUnknown;
  size_t limit = group.number("memory.max", "", buffer);
  size_t used = group.number("memory.current", "", buffer);
  if (limit == kUnknown || used == kUnknown) return kUnknown;
  size_t cache = group.number("memory.stat", "inactive_file ", buffer);
  size_t left = limit > used ? limit - used : 0;
  return cache == kUnknown ? left : left + cache;
}

}  // namespace

size_t number_after(const char* text, const char* key) {
  const char* value = after_line_start(text, key);
  return value ? parse_number(value + strspn(value, " \t")) : kUnknown;
}

size_t memory_bytes() {
  struct sysinfo info {};
  ErrnoKept keep;
  return sysinfo(&info) ? 0 : static_cast<size_t>(info.totalram) * info.mem_unit;
}

size_t available_bytes() {
  ErrnoKept keep;
  char text[kFileBytes];
  size_t machine = machine_available(text);
  size_t group = group_available(text);
  return machine < group ? machine : group;
}

uint64_t coarse_now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

void MemoryWatch::configure(size_t reserve, size_t step) {
  reserve_ = reserve;
  step_ = step;
}

size_t MemoryWatch::lacking_after(size_t given_back_bytes) {
  size_t reserve = reserve_.load(std::memory_order_relaxed);
  if (reserve == 0) return 0;
  size_t sum = since_look_.fetch_add(given_back_bytes, std::memory_order_relaxed);
  if (sum + given_back_bytes < step_.load(std::memory_order_relaxed)) return 0;
  since_look_.store(0, std::memory_order_relaxed);  // first: a hooked clock may come back here
  if (!due()) return 0;
  size_t available = senses_.available();
  return available < reserve ? reserve - available : 0;
}

bool MemoryWatch::due() {
  uint64_t now = senses_.now_ns();
  uint64_t next = next_look_ns_.load(std::memory_order_relaxed);
  return now >= next && next_look_ns_.compare_exchange_strong(next, now + kLeastIntervalNs,
                                                              std::memory_order_relaxed);
}

}  // namespace ftprof::libmalloc
