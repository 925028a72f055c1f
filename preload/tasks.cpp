#include "preload/tasks.h"

#include <string.h>

#include "preload/sys.h"
#include "preload/text.h"

namespace ftprof {
namespace {

struct DirectoryEntry {  // linux_dirent64
  uint64_t inode;
  int64_t offset;
  uint16_t length;
  uint8_t type;
  char name[];
};

int number_in(const char* text) {
  int value = 0;
  for (; *text >= '0' && *text <= '9'; ++text) value = value * 10 + (*text - '0');
  return *text == 0 ? value : 0;
}

size_t add_entries(const char* bytes, size_t size, int* tids, size_t count, size_t most) {
  for (size_t at = 0; at < size;) {
    auto entry = reinterpret_cast<const DirectoryEntry*>(bytes + at);
    int tid = number_in(entry->name);
    if (tid > 0 && count < most) tids[count++] = tid;
    at += entry->length;
  }
  return count;
}

}  // namespace

size_t list_threads(int* tids, size_t most) {
  int dir = sys::open_at(AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY);
  if (dir < 0) return 0;
  alignas(8) char bytes[4096];
  size_t count = 0;
  for (long got; (got = sys::getdents(dir, bytes, sizeof bytes)) > 0;)
    count = add_entries(bytes, static_cast<size_t>(got), tids, count, most);
  sys::close(dir);
  return count;
}

long read_small_file(const char* path, char* to, size_t bytes) {
  int fd = sys::open_at(AT_FDCWD, path, O_RDONLY);
  if (fd < 0) return fd;
  size_t filled = 0;
  long got = 0;
  while (filled + 1 < bytes && (got = sys::read(fd, to + filled, bytes - 1 - filled)) > 0)
    filled += static_cast<size_t>(got);
  sys::close(fd);
  to[filled] = 0;
  return got < 0 && filled == 0 ? got : static_cast<long>(filled);
}

bool read_thread_name(int tid, char (&name)[kThreadNameBytes]) {
  Text<64> path;
  path.add("/proc/self/task/").add_number(static_cast<uint64_t>(tid)).add("/comm");
  char line[kThreadNameBytes + 1];
  long bytes = read_small_file(path.c_str(), line, sizeof line);
  if (bytes <= 0) return false;
  if (line[bytes - 1] == '\n') line[bytes - 1] = 0;
  memcpy(name, line, kThreadNameBytes);
  name[kThreadNameBytes - 1] = 0;
  return true;
}

}  // namespace ftprof
