#include "preload/symbols.h"

#include <elf.h>
#include <string.h>

namespace ftprof {
namespace {

uint32_t gnu_hash_of(const char* name) {
  uint32_t hash = 5381;
  for (; *name != 0; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

uint32_t elf_hash_of(const char* name) {
  uint32_t hash = 0;
  for (; *name != 0; ++name) {
    hash = (hash << 4) + static_cast<unsigned char>(*name);
    uint32_t high = hash & 0xf0000000;
    hash = (hash ^ high >> 24) & ~high;
  }
  return hash;
}

constexpr uint16_t kHiddenVersion = 0x8000;  // not the default one of its name

}  // namespace

SymbolTable::SymbolTable(uintptr_t bias, const ElfW(Dyn) * dynamic) : bias_(bias) {
  for (; dynamic != nullptr && dynamic->d_tag != DT_NULL; ++dynamic) {
    uintptr_t at = dynamic->d_un.d_ptr < bias ? bias + dynamic->d_un.d_ptr : dynamic->d_un.d_ptr;
    switch (dynamic->d_tag) {
      case DT_SYMTAB:
        symbols_ = reinterpret_cast<const ElfW(Sym)*>(at);
        break;
      case DT_STRTAB:
        strings_ = reinterpret_cast<const char*>(at);
        break;
      case DT_VERSYM:
        versions_ = reinterpret_cast<const uint16_t*>(at);
        break;
      case DT_GNU_HASH:
        gnu_hash_ = reinterpret_cast<const uint32_t*>(at);
        break;
      case DT_HASH:
        elf_hash_ = reinterpret_cast<const uint32_t*>(at);
        break;
      default:
        break;
    }
  }
}

uintptr_t SymbolTable::address(uint32_t index, const char* name) const {
  const ElfW(Sym)& symbol = symbols_[index];
  if (symbol.st_shndx == SHN_UNDEF || strcmp(strings_ + symbol.st_name, name) != 0) return 0;
  if (versions_ != nullptr && (versions_[index] & kHiddenVersion)) return 0;
  uintptr_t at = bias_ + symbol.st_value;
  if (ELF64_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC) return at;
  return reinterpret_cast<uintptr_t>(reinterpret_cast<void* (*)()>(at)());
}

// buckets, first hashed symbol, words and shift of a Bloom filter, which one lookup can do without.
uintptr_t SymbolTable::find_by_gnu_hash(const char* name) const {
  uint32_t buckets = gnu_hash_[0], first = gnu_hash_[1], bloom_words = gnu_hash_[2];
  if (buckets == 0) return 0;
  const uint32_t* bucket = gnu_hash_ + 4 + bloom_words * (sizeof(ElfW(Addr)) / 4);
  const uint32_t* chain = bucket + buckets;
  uint32_t hash = gnu_hash_of(name), index = bucket[hash % buckets];
  if (index < first) return 0;
  for (;; ++index) {
    uint32_t entry = chain[index - first];
    uintptr_t found = (entry | 1) == (hash | 1) ? address(index, name) : 0;
    if (found != 0 || (entry & 1)) return found;
  }
}

uintptr_t SymbolTable::find_by_elf_hash(const char* name) const {
  uint32_t buckets = elf_hash_[0];
  if (buckets == 0) return 0;
  const uint32_t* bucket = elf_hash_ + 2;
  const uint32_t* chain = bucket + buckets;
  for (uint32_t index = bucket[elf_hash_of(name) % buckets]; index != 0; index = chain[index])
    if (uintptr_t found = address(index, name)) return found;
  return 0;
}

uintptr_t SymbolTable::find(const char* name) const {
  if (symbols_ == nullptr || strings_ == nullptr) return 0;
  if (gnu_hash_ != nullptr) return find_by_gnu_hash(name);
  return elf_hash_ != nullptr ? find_by_elf_hash(name) : 0;
}

static Definition find_from(const link_map* object, const char* name) {
  for (; object != nullptr; object = object->l_next)
    if (uintptr_t found = SymbolTable(object->l_addr, object->l_ld).find(name))
      return {reinterpret_cast<void*>(found), object};
  return {};
}

Definition find_symbol_behind(const link_map* object, const char* name) {
  return object == nullptr ? Definition{} : find_from(object->l_next, name);
}

Definition find_symbol(const link_map* any_object, const char* name) {
  const link_map* first = any_object;
  while (first != nullptr && first->l_prev != nullptr) first = first->l_prev;
  return find_from(first, name);
}

}  // namespace ftprof
