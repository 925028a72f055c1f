// The function symbols of one ELF file, to be searched by address.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <vector>

namespace ftprof {

class SymbolTable {
 public:
  struct Symbol {
    uint64_t address = 0, size = 0;
    const char* name = nullptr;  // mangled; owned by the ELF file
    bool global = false;
  };
  struct Match {
    const Symbol* symbol = nullptr;
    bool inside = false;  // else it is merely the nearest one before the address
  };

  explicit SymbolTable(Dwfl_Module* module);
  Match find(uint64_t address) const;

 private:
  std::vector<Symbol> symbols_;  // by address; of equal ones the preferred last
};

}  // namespace ftprof
