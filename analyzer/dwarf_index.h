// The functions of one module's DWARF by address, with the calls inlined into them.
//
// libdw finds a unit through .debug_aranges, which clang and others leave out, and walks the unit's
// whole tree for each address. Here units are indexed by their ranges at the start, a unit's
// functions when it is first met, and a function's inlined calls likewise, so that a look-up is
// three binary searches.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ftprof {

struct SourceFrame {
  std::string function;  // empty: DWARF knows the line but no function
  std::string file;
  uint32_t line = 0;
  bool inlined = false;
  bool plain = false;  // DWARF gives no linkage name, so arguments are not shown
};

class DwarfIndex {
 public:
  explicit DwarfIndex(Dwarf* dwarf);
  ~DwarfIndex();
  // Innermost first; empty when DWARF knows nothing about the address.
  std::vector<SourceFrame> find(uint64_t address);

 private:
  template <class Value>
  struct Range {
    uint64_t begin = 0, end = 0;
    Value value{};
  };
  struct Unit;
  struct Function;

  struct Name {
    std::string text;
    bool plain = false;
  };

  Unit* unit_at(uint64_t address);
  const Name& name_of(const Unit& unit, Dwarf_Die* die);

  std::vector<std::unique_ptr<Unit>> units_;
  std::vector<Range<uint32_t>> unit_ranges_;     // by begin; value is the index in units_
  std::unordered_map<const void*, Name> names_;  // by the DIE's place in memory
};

}  // namespace ftprof
