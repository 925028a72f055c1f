// /proc/self/maps: the process's mappings as Mapping events, and the Opening event, which says what
// the process had already paid when faults began to be observed.
//
// Read by the collector: one reading of one open file, line by line through a buffer on the stack
// (long file names are cut at kMostName).
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ftprof {

struct MapLine {
  static constexpr size_t kMostName = 255;
  uint64_t begin, end, offset, inode;
  uint8_t prot;  // PROT_*
  bool shared;
  char name[kMostName + 1];
};

// Parses "55d0-55d4 r-xp 00001000 08:01 1234   /path" (no newline); false when it is no such line.
bool parse_map_line(const char* text, size_t bytes, MapLine* line);

using VisitMap = void (*)(const MapLine& line, void* context);
// Calls visit for every mapping; false when /proc/self/maps cannot be read.
bool visit_maps(VisitMap visit, void* context);

enum class MapKind : uint8_t { stack, heap, anonymous, file, profiler };
// What faults in the mapping belong to. The profiler's own are its rings and its trace files.
MapKind kind_of(const MapLine& line, const char* trace_dir);

class MapReader {
 public:
  // Writes a new pass of Mapping events if the mappings differ from the last pass's.
  void write_if_changed();
  // Writes Opening: `minor` and `major` faults so far, split by what is resident. The pages of
  // tracked blocks are in none of its parts, those of the library's own memory neither.
  static void write_opening(uint64_t minor, uint64_t major);

 private:
  uint32_t pass_ = 0;
  uint64_t fingerprint_ = 0;
};

}  // namespace ftprof
