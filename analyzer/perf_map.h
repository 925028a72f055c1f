// perf-PID.map, in which JIT compilers (node --perf-basic-prof, the JVM's agents, .NET, LuaJIT)
// name the code they made: lines of "ADDRESS SIZE NAME", numbers in hexadecimal, later lines over
// earlier ones. The file lies in /tmp and goes with the machine; `ftprof run` copies it into the
// image's folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace ftprof {

class PerfMap {
 public:
  // Takes any bytes; lines that are none are passed over.
  static PerfMap parse(std::string_view text);
  // Empty when there is no such file. `image_folder` is looked at first, then /tmp.
  static PerfMap of_process(const std::string& image_folder, uint32_t pid);

  // nullptr when no code was there.
  const std::string* find(uint64_t address) const;
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    uint64_t end = 0;
    std::string name;
  };
  void add(uint64_t begin, uint64_t end, std::string_view name);
  std::map<uint64_t, Entry> entries_;  // by begin; never overlapping
};

// After a run: copies the maps of its images to where of_process looks first.
void keep_perf_maps(const std::string& run_folder);

}  // namespace ftprof
