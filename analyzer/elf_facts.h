// What an ELF file tells about whether a preloaded library will see its memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ftprof {

struct ElfFacts {
  bool is_64_bit = false;
  std::string interpreter;          // PT_INTERP; empty: statically linked
  std::string soname;               // set: a shared library, perhaps the loader itself
  std::vector<std::string> needed;  // DT_NEEDED
  bool is_go = false;
  std::string own_allocator;  // an allocation function that the file defines itself ("malloc")
};

// Empty when the file is no readable ELF file.
std::optional<ElfFacts> elf_facts(const std::string& path);

}  // namespace ftprof
