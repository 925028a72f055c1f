#include "analyzer/dwarf_index.h"

#include <dwarf.h>

#include <algorithm>
#include <cstdlib>

#include "analyzer/demangle.h"

namespace ftprof {
namespace {

constexpr int kDeepest = 256;  // scopes within scopes; only a damaged file has more

// Calls visit(begin, end) for each address range of a DIE. Code that the linker dropped is left
// with the address 0 (or 1 in a list of ranges), where no code is.
template <class Visit>
void for_each_range(Dwarf_Die* die, Visit visit) {
  Dwarf_Addr base = 0, begin = 0, end = 0;
  ptrdiff_t offset = 0;
  while ((offset = dwarf_ranges(die, offset, &base, &begin, &end)) > 0)
    if (begin > 1 && end > begin) visit(begin, end);
}

template <class Visit>
void for_each_child(Dwarf_Die* die, Visit visit) {
  Dwarf_Die child;
  if (dwarf_child(die, &child) != 0) return;
  do visit(&child);
  while (dwarf_siblingof(&child, &child) == 0);
}

bool may_hold_functions(int tag) {
  switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
      return true;
    default:
      return false;
  }
}

const char* linkage_name(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  for (unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
    if (dwarf_attr_integrate(die, name, &attribute))
      if (const char* linkage = dwarf_formstring(&attribute)) return linkage;
  return nullptr;
}

// The DIE that stands in its namespace: an inlined or out-of-line one only refers to it.
Dwarf_Die declaration_of(Dwarf_Die die) {
  for (unsigned reference : {DW_AT_abstract_origin, DW_AT_specification}) {
    Dwarf_Attribute attribute;
    Dwarf_Die target;
    if (dwarf_attr(&die, reference, &attribute) && dwarf_formref_die(&attribute, &target))
      die = target;
  }
  return die;
}

// "shop::Cart::" for what stands in Cart, in what `outer` names.
std::string scope_within(const std::string& outer, Dwarf_Die* die, int tag) {
  bool named = tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
               tag == DW_TAG_class_type || tag == DW_TAG_union_type;
  if (!named) return outer;
  const char* name = dwarf_diename(die);
  return outer + (name ? name : "(anonymous namespace)") + "::";
}

uint32_t number_of(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value) != 0) return 0;
  return static_cast<uint32_t>(value);
}

std::string file_of(Dwarf_Die* unit, uint32_t index) {
  Dwarf_Files* files = nullptr;
  size_t count = 0;
  if (dwarf_getsrcfiles(unit, &files, &count) != 0 || index >= count) return "";
  const char* path = dwarf_filesrc(files, index, nullptr, nullptr);
  return path ? path : "";
}

// The range that holds the address and begins last, that is the innermost one.
template <class Ranges>
auto find_range(const Ranges& ranges, uint64_t address) -> decltype(&ranges[0]) {
  constexpr int kNested = 16;
  auto at = std::ranges::upper_bound(ranges, address, {}, [](auto& range) { return range.begin; });
  for (int i = 0; i < kNested && at != ranges.begin(); ++i) {
    --at;
    if (address < at->end) return &*at;
  }
  return nullptr;
}

}  // namespace

// A function, or a call inlined into it, directly or not.
struct Scope {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  Dwarf_Die die;
  int parent = -1;

  bool holds(uint64_t address) const {
    return std::ranges::any_of(
        ranges, [&](auto& range) { return address >= range.first && address < range.second; });
  }
};

struct DwarfIndex::Function {
  Dwarf_Die die;
  std::vector<Scope> scopes;  // [0] is the function; every parent stands before its children

  void fill() {
    if (scopes.empty()) add(&die, -1, 0);
  }
  void add(Dwarf_Die* at, int parent, int depth) {
    Scope scope{{}, *at, parent};
    for_each_range(at, [&](auto begin, auto end) { scope.ranges.emplace_back(begin, end); });
    scopes.push_back(std::move(scope));
    add_inlined(at, static_cast<int>(scopes.size()) - 1, depth);
  }
  void add_inlined(Dwarf_Die* at, int parent, int depth) {
    if (depth > kDeepest) return;
    for_each_child(at, [&](Dwarf_Die* child) {
      int tag = dwarf_tag(child);
      if (tag == DW_TAG_inlined_subroutine) add(child, parent, depth + 1);
      if (tag == DW_TAG_lexical_block) add_inlined(child, parent, depth + 1);
    });
  }
  // The innermost scope that holds the address; the function itself at least.
  int innermost(uint64_t address) const {
    int found = 0;
    for (int i = 1; i < static_cast<int>(scopes.size()); ++i)
      if (scopes[i].parent == found && scopes[i].holds(address)) found = i;
    return found;
  }
};

struct DwarfIndex::Unit {
  Dwarf_Die die;       // has the line table
  Dwarf_Die contents;  // the same, or the unit of a .dwo file
  bool indexed = false;
  std::vector<std::unique_ptr<Function>> functions;
  std::vector<Range<uint32_t>> ranges;
  // Where functions without a linkage name are declared, by the DIE's place in memory.
  std::unordered_map<const void*, std::string> scopes;

  void index() {
    if (indexed) return;
    indexed = true;
    add_functions(&contents, "", 0);
    std::ranges::sort(ranges, {}, &Range<uint32_t>::begin);
  }
  void add_functions(Dwarf_Die* at, const std::string& scope, int depth) {
    if (depth > kDeepest) return;
    for_each_child(at, [&](Dwarf_Die* child) {
      int tag = dwarf_tag(child);
      if (tag == DW_TAG_subprogram) add_function(child, scope);
      if (may_hold_functions(tag)) add_functions(child, scope_within(scope, child, tag), depth + 1);
    });
  }
  void add_function(Dwarf_Die* at, const std::string& scope) {
    if (!scope.empty() && !dwarf_hasattr(at, DW_AT_linkage_name)) scopes.emplace(at->addr, scope);
    auto number = static_cast<uint32_t>(functions.size());
    for_each_range(at, [&](auto begin, auto end) { ranges.push_back({begin, end, number}); });
    if (!ranges.empty() && ranges.back().value == number)
      functions.push_back(std::make_unique<Function>(Function{*at, {}}));
  }
  Function* function_at(uint64_t address) {
    index();
    auto range = find_range(ranges, address);
    return range ? functions[range->value].get() : nullptr;
  }
  std::string scope_of(const Dwarf_Die& at) const {
    auto found = scopes.find(declaration_of(at).addr);
    return found == scopes.end() ? "" : found->second;
  }
  // The line of the instruction itself.
  SourceFrame line_at(uint64_t address) {
    SourceFrame frame;
    Dwarf_Line* line = dwarf_getsrc_die(&die, address);
    int number = 0;
    if (!line || dwarf_lineno(line, &number) != 0) return frame;
    const char* path = dwarf_linesrc(line, nullptr, nullptr);
    frame.file = path ? path : "";
    frame.line = static_cast<uint32_t>(number);
    return frame;
  }
};

DwarfIndex::DwarfIndex(Dwarf* dwarf) {
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die, contents;
  uint8_t type = 0;
  while (dwarf_get_units(dwarf, unit, &unit, nullptr, &type, &die, &contents) == 0) {
    if (type != DW_UT_compile && type != DW_UT_skeleton) continue;
    auto index = static_cast<uint32_t>(units_.size());
    for_each_range(&die, [&](auto begin, auto end) {
      unit_ranges_.push_back({begin, end, index});
    });
    units_.push_back(std::make_unique<Unit>());
    units_.back()->die = die;
    units_.back()->contents = type == DW_UT_skeleton && contents.cu ? contents : die;
  }
  std::ranges::sort(unit_ranges_, {}, &Range<uint32_t>::begin);
}

DwarfIndex::~DwarfIndex() = default;

DwarfIndex::Unit* DwarfIndex::unit_at(uint64_t address) {
  auto range = find_range(unit_ranges_, address);
  return range ? units_[range->value].get() : nullptr;
}

const DwarfIndex::Name& DwarfIndex::name_of(const Unit& unit, Dwarf_Die* die) {
  auto [entry, is_new] = names_.try_emplace(die->addr);
  if (!is_new) return entry->second;
  if (const char* linkage = linkage_name(die)) {
    entry->second = {demangle(linkage), false};
  } else if (const char* plain = dwarf_diename(die)) {
    entry->second = {unit.scope_of(*die) + plain, true};
  }
  return entry->second;
}

std::vector<SourceFrame> DwarfIndex::find(uint64_t address) {
  Unit* unit = unit_at(address);
  if (!unit) return {};
  SourceFrame place = unit->line_at(address);
  Function* function = unit->function_at(address);
  if (!function) return place.line ? std::vector{place} : std::vector<SourceFrame>{};
  function->fill();
  std::vector<SourceFrame> frames;
  for (int i = function->innermost(address); i >= 0; i = function->scopes[i].parent) {
    Dwarf_Die* die = &function->scopes[i].die;
    const Name& name = name_of(*unit, die);
    place.function = name.text;
    place.plain = name.plain;
    place.inlined = i > 0;
    frames.push_back(place);
    // The next frame's line is where this one was called.
    place.file = file_of(&unit->contents, number_of(die, DW_AT_call_file));
    place.line = number_of(die, DW_AT_call_line);
  }
  return frames;
}

}  // namespace ftprof
