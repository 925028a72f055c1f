#include "analyzer/perf_map.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <optional>

namespace ftprof {
namespace fs = std::filesystem;
namespace {

std::string map_name(uint64_t pid) {
  return "perf-" + std::to_string(pid) + ".map";
}

// Takes a hexadecimal number and the space behind it off the front.
std::optional<uint64_t> take_hex(std::string_view& line) {
  if (line.starts_with("0x")) line.remove_prefix(2);
  uint64_t value = 0;
  auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value, 16);
  auto used = static_cast<size_t>(end - line.data());
  if (error != std::errc() || used == line.size() || line[used] != ' ') return std::nullopt;
  line.remove_prefix(used + 1);
  return value;
}

// Anybody may leave a file of that name in /tmp: only a plain one of our own (or root's) is read.
std::string contents_of(const std::string& path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (file < 0) return "";
  struct stat status;
  bool ours = fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
              (status.st_uid == geteuid() || status.st_uid == 0);
  std::string text;
  char buffer[65536];
  for (ssize_t got = 0; ours && (got = read(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(got));
  close(file);
  return text;
}

// The process of an image's folder "app.4711" or "app.4711.2".
std::optional<uint64_t> pid_of(const std::string& name) {
  for (size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) {
    uint64_t pid = 0;
    const char* begin = name.data() + dot + 1;
    auto [end, error] = std::from_chars(begin, name.data() + name.size(), pid);
    if (error == std::errc() && end != begin && (*end == 0 || *end == '.')) return pid;
  }
  return std::nullopt;
}

}  // namespace

void PerfMap::add(uint64_t begin, uint64_t end, std::string_view name) {
  auto at = entries_.upper_bound(begin);
  if (at != entries_.begin() && std::prev(at)->second.end > begin)
    std::prev(at)->second.end = begin;
  at = entries_.lower_bound(begin);
  while (at != entries_.end() && at->first < end) at = entries_.erase(at);
  entries_[begin] = {end, std::string(name)};
}

PerfMap PerfMap::parse(std::string_view text) {
  PerfMap map;
  while (!text.empty()) {
    size_t length = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    auto begin = take_hex(line);
    auto bytes = begin ? take_hex(line) : std::nullopt;
    uint64_t end = 0;
    bool good = bytes && *bytes && !line.empty() && !__builtin_add_overflow(*begin, *bytes, &end);
    if (good) map.add(*begin, end, line);
  }
  return map;
}

PerfMap PerfMap::of_process(const std::string& image_folder, uint32_t pid) {
  std::string text = contents_of(image_folder + "/" + map_name(pid));
  return parse(text.empty() ? contents_of("/tmp/" + map_name(pid)) : text);
}

const std::string* PerfMap::find(uint64_t address) const {
  auto after = entries_.upper_bound(address);
  if (after == entries_.begin()) return nullptr;
  const Entry& entry = std::prev(after)->second;
  return address < entry.end ? &entry.name : nullptr;
}

void keep_perf_maps(const std::string& run_folder) {
  std::error_code error;
  for (const auto& image : fs::directory_iterator(run_folder, error)) {
    auto pid = pid_of(image.path().filename().string());
    if (!pid || !fs::is_directory(image.symlink_status())) continue;
    std::string from = "/tmp/" + map_name(*pid);
    std::string text = contents_of(from);
    if (text.empty()) continue;
    std::string to = (image.path() / map_name(*pid)).string();
    int file = open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) continue;
    // A short copy (full disk) is a map all the same: lines, the last one cut.
    [[maybe_unused]] ssize_t written = write(file, text.data(), text.size());
    close(file);
  }
}

}  // namespace ftprof
