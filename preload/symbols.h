// Names in loaded objects, looked up in their own tables.
//
// Not by dlsym: the first hook may be called from inside an allocator that holds its lock, or under
// libc's locale lock, and a dlsym that fails allocates, takes the loader's lock, and leaves an
// error whose translation takes the locale lock. This reads memory and does nothing else, so it can
// be asked at any moment, also before the C library is initialised.
#pragma once

#include <link.h>
#include <stdint.h>

namespace ftprof {

// What a lookup needs of one object's dynamic section.
class SymbolTable {
 public:
  // bias: what its addresses are relative to. Loaders turn the section's pointers into addresses,
  // the kernel leaves the vDSO's relative; both are understood.
  SymbolTable(uintptr_t bias, const ElfW(Dyn) * dynamic);
  // The address of the definition (of its default version), 0 when there is none.
  uintptr_t find(const char* name) const;

 private:
  uintptr_t find_by_gnu_hash(const char* name) const;
  uintptr_t find_by_elf_hash(const char* name) const;
  uintptr_t address(uint32_t index, const char* name) const;

  uintptr_t bias_;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* strings_ = nullptr;
  const uint16_t* versions_ = nullptr;
  const uint32_t* gnu_hash_ = nullptr;
  const uint32_t* elf_hash_ = nullptr;
};

struct Definition {
  void* address = nullptr;
  const link_map* object = nullptr;
};

// The first definition in load order behind `object`: what RTLD_NEXT means.
Definition find_symbol_behind(const link_map* object, const char* name);
// The first of all: what the program itself is bound to.
Definition find_symbol(const link_map* any_object, const char* name);

}  // namespace ftprof
