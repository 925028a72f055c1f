#include "analyzer/marks_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "analyzer/bad_input.h"

namespace ftprof {
namespace {

constexpr size_t kLongestName = 255;

std::string process(pid_t pid) {
  return "process " + std::to_string(pid);
}

// The library keeps its streams mapped, so /proc/PID/maps names the image's folder, wherever the
// program was started. "… /path/app.4711/blocks_0"
std::string image_folder_of(pid_t pid) {
  std::string proc = "/proc/" + std::to_string(pid);
  std::ifstream maps(proc + "/maps");
  if (!maps) throw BadInput(process(pid) + " is not there, or is not yours to look at");
  for (std::string line; std::getline(maps, line);) {
    size_t path = line.find('/'), file = line.rfind("/blocks_");
    if (path == line.npos || file == line.npos || file < path) continue;
    // In a container the path is the container's.
    std::string folder = proc + "/root" + line.substr(path, file - path);
    if (access((folder + "/metadata").c_str(), F_OK) == 0) return folder;
  }
  throw BadInput(process(pid) +
                 " is not being recorded; start it with ftprof run (a trace begins with the first "
                 "block of blocks.min_size or more)");
}

void check_name(const std::string& name) {
  bool control = std::ranges::any_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (name.empty() || name.size() > kLongestName || control)
    throw BadInput("a mark's name is 1 to 255 bytes without control characters");
}

// Root may mark anybody's process, but not be led elsewhere by a folder that somebody else made.
int open_marks(pid_t pid, const std::string& folder) {
  struct stat owner, status;
  std::string proc = "/proc/" + std::to_string(pid);
  if (stat(proc.c_str(), &owner) != 0 || stat(folder.c_str(), &status) != 0 ||
      (status.st_uid != owner.st_uid && status.st_uid != 0)) {
    errno = EPERM;
    return -1;
  }
  return open((folder + "/marks").c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
              0600);
}

uint64_t now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace

std::vector<OutsideMark> parse_marks(std::string_view text) {
  std::vector<OutsideMark> marks;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    uint64_t time = 0;
    auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), time);
    auto used = static_cast<size_t>(end - line.data());
    bool good = error == std::errc() && used + 1 < line.size() && line[used] == ' ';
    if (good) marks.push_back({time, std::string(line.substr(used + 1))});
  }
  return marks;
}

std::vector<OutsideMark> read_marks(const std::string& image_folder) {
  std::string path = image_folder + "/marks";
  std::error_code error;
  if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(path, error))) return {};
  std::ifstream file(path, std::ios::binary);
  return parse_marks(std::string(std::istreambuf_iterator<char>(file), {}));
}

void set_mark(pid_t pid, const std::string& name) {
  check_name(name);
  std::string folder = image_folder_of(pid);
  std::string line = std::to_string(now_ns()) + " " + name + "\n";
  int file = open_marks(pid, folder);
  // One write with O_APPEND: marks set at the same time do not mix.
  bool written =
      file >= 0 && write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  std::string why = std::strerror(errno);
  if (file >= 0) close(file);
  if (!written)
    throw BadInput("the trace of " + process(pid) + " cannot take a mark (" + why + ")");
}

}  // namespace ftprof
