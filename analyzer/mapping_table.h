// Whose an address is when no block holds it: from the readings of /proc/self/maps, from what the
// allocator and the profiler were seen to map, and from the loaded modules.
//
// The kernel does not name thread stacks and arenas, so two shapes are recognised among anonymous
// private mappings: a stack lies directly above its guard (PROT_NONE, at most 1 MiB; at most 8 MiB
// of it count, for a neighbour above may have grown together with it), and an arena of glibc begins
// at a multiple of 64 MiB and fills it up with PROT_NONE.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/chunk_map.h"
#include "analyzer/result.h"
#include "preload/trace_format.h"

namespace ftprof {

struct MappingOwner {
  Owner owner = Owner::unattributed;
  uint32_t name = 0;  // index for MappingTable::name
};

class MappingTable {
 public:
  void line(const trace::Mapping& mapping, std::string_view name);
  // A reading has ended when something else follows its lines. True when it made a new table.
  bool finish_pass();
  void claim(uint64_t begin, uint64_t end, Owner owner);
  // A small mapping of the program's. Its end is not recorded, so it counts only where the latest
  // reading lists nothing.
  void claim_small(uint64_t begin, uint64_t end, Owner owner);
  void unclaim(uint64_t begin, uint64_t end);

  std::optional<MappingOwner> find(uint64_t addr);
  uint32_t pass() const { return pass_; }
  bool has_pass() const { return passes_ != 0; }
  const std::string& name(uint32_t index) const { return names_[index]; }
  uint32_t name_index(const std::string& name);

 private:
  struct Line {
    trace::Mapping mapping;
    std::string name;
  };
  struct Span {
    uint64_t end;
    MappingOwner owner;
  };
  void add_line(size_t i);
  void set(uint64_t begin, uint64_t end, Owner owner, const std::string& name);
  std::optional<MappingOwner> above_heap(uint64_t addr);
  bool above_guard(size_t i) const;
  bool is_arena(size_t i) const;

  std::vector<Line> lines_;
  uint32_t pass_ = 0;
  uint32_t passes_ = 0;
  ChunkMap<Span> spans_;   // of the latest reading
  ChunkMap<Span> claims_;  // seen being mapped
  ChunkMap<Span> small_;   // likewise, small ones
  std::vector<std::string> names_;
};

}  // namespace ftprof
