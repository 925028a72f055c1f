#include "analyzer/symbol_table.h"

#include <algorithm>
#include <tuple>

namespace ftprof {
namespace {

bool is_code(const GElf_Sym& symbol, GElf_Word section, const char* name) {
  int type = GELF_ST_TYPE(symbol.st_info);
  bool code = type == STT_FUNC || type == STT_GNU_IFUNC || (type == STT_NOTYPE && symbol.st_size);
  return code && section != SHN_UNDEF && name && *name;
}

}  // namespace

SymbolTable::SymbolTable(Dwfl_Module* module) {
  int count = dwfl_module_getsymtab(module);
  for (int i = 1; i < count; ++i) {
    GElf_Sym symbol;
    GElf_Addr address = 0;
    GElf_Word section = 0;
    const char* name =
        dwfl_module_getsym_info(module, i, &symbol, &address, &section, nullptr, nullptr);
    if (!is_code(symbol, section, name)) continue;
    symbols_.push_back({address, symbol.st_size, name, GELF_ST_BIND(symbol.st_info) != STB_LOCAL});
  }
  // Of aliases the one with a size, then the exported one, is the better name.
  std::ranges::stable_sort(symbols_, {}, [](const Symbol& symbol) {
    return std::tuple(symbol.address, symbol.size != 0, symbol.global);
  });
}

SymbolTable::Match SymbolTable::find(uint64_t address) const {
  auto after = std::ranges::upper_bound(symbols_, address, {}, &Symbol::address);
  if (after == symbols_.begin()) return {};
  constexpr int kNested = 8;  // how far back a symbol that encloses another one is looked for
  auto at = after;
  for (int i = 0; i < kNested && at != symbols_.begin(); ++i) {
    --at;
    if (address - at->address < at->size) return {&*at, true};
  }
  return {&*std::prev(after), std::prev(after)->size == 0};
}

}  // namespace ftprof
