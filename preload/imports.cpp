#include "preload/imports.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>

#include <atomic>

#include "preload/object.h"
#include "preload/state.h"
#include "preload/sys.h"

namespace ftprof {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kCall = R_X86_64_JUMP_SLOT, kAddress = R_X86_64_GLOB_DAT, kData = R_X86_64_64;
#else
constexpr uint32_t kCall = R_AARCH64_JUMP_SLOT, kAddress = R_AARCH64_GLOB_DAT,
                   kData = R_AARCH64_ABS64;
#endif

struct Range {
  uintptr_t begin = 0, end = 0;
  bool holds(uintptr_t address) const { return address >= begin && address < end; }
};

struct Relocations {
  const ElfW(Rela) * first = nullptr;
  size_t bytes = 0;
};

// What the loader made read-only after it had bound the object.
Range read_only_words(const Object& object) {
  auto* header = reinterpret_cast<const ElfW(Ehdr)*>(object.begin);
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return {};
  auto* segment = reinterpret_cast<const ElfW(Phdr)*>(object.begin + header->e_phoff);
  for (int i = 0; i < header->e_phnum; ++i, ++segment) {
    if (segment->p_type != PT_GNU_RELRO) continue;
    uintptr_t begin = object.map->l_addr + segment->p_vaddr;
    return {begin, begin + segment->p_memsz};
  }
  return {};
}

// What the dynamic section holds under a tag; 0 where it has none.
uintptr_t entry_of(const link_map* map, ElfW(Sxword) tag) {
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == tag) return entry->d_un.d_ptr;
  return 0;
}

Relocations relocations_of(const link_map* map, ElfW(Sxword) table, ElfW(Sxword) bytes) {
  return {reinterpret_cast<const ElfW(Rela)*>(entry_of(map, table)), entry_of(map, bytes)};
}

class Imports {
 public:
  Imports(const Object& object, const ImportedFunction* functions, size_t count)
      : object_(object),
        functions_(functions),
        count_(count),
        read_only_(read_only_words(object)),
        symbols_(reinterpret_cast<const ElfW(Sym) *>(entry_of(object.map, DT_SYMTAB))),
        strings_(reinterpret_cast<const char*>(entry_of(object.map, DT_STRTAB))),
        calls_(relocations_of(object.map, DT_JMPREL, DT_PLTRELSZ)),
        others_(relocations_of(object.map, DT_RELA, DT_RELASZ)) {}

  void replace() const {
    if (symbols_ == nullptr || strings_ == nullptr) return;
    replace(calls_);
    replace(others_);
  }

 private:
  void replace(const Relocations& relocations) const {
    if (relocations.first == nullptr) return;
    for (size_t i = 0; i < relocations.bytes / sizeof *relocations.first; ++i)
      replace(relocations.first[i]);
  }

  void replace(const ElfW(Rela) & relocation) const {
    uint32_t type = ELF64_R_TYPE(relocation.r_info);
    bool plain = type == kCall || type == kAddress || (type == kData && relocation.r_addend == 0);
    const ElfW(Sym)& symbol = symbols_[ELF64_R_SYM(relocation.r_info)];
    if (!plain || symbol.st_shndx != SHN_UNDEF || symbol.st_name == 0) return;
    const ImportedFunction* function = find(strings_ + symbol.st_name);
    if (function == nullptr) return;
    auto* word = reinterpret_cast<uintptr_t*>(object_.map->l_addr + relocation.r_offset);
    bool unbound = type == kCall && object_.holds(*word);
    if (unbound || *word == reinterpret_cast<uintptr_t>(function->definition))
      set(word, reinterpret_cast<uintptr_t>(function->replacement));
  }

  const ImportedFunction* find(const char* name) const {
    for (size_t i = 0; i < count_; ++i)
      if (functions_[i].definition != nullptr && strcmp(functions_[i].name, name) == 0)
        return &functions_[i];
    return nullptr;
  }

  void set(uintptr_t* word, uintptr_t value) const {
    bool locked = read_only_.holds(reinterpret_cast<uintptr_t>(word));
    if (locked && !protect(word, PROT_READ | PROT_WRITE)) return;
    std::atomic_ref<uintptr_t>(*word).store(value, std::memory_order_release);
    if (locked) protect(word, PROT_READ);
  }

  static bool protect(uintptr_t* word, long protection) {
    uintptr_t page = reinterpret_cast<uintptr_t>(word) & ~(g_state.page_bytes - 1);
    return !sys::failed(sys::call(SYS_mprotect, static_cast<long>(page),
                                  static_cast<long>(g_state.page_bytes), protection));
  }

  const Object& object_;
  const ImportedFunction* functions_;
  size_t count_;
  Range read_only_;
  const ElfW(Sym) * symbols_;
  const char* strings_;
  Relocations calls_, others_;
};

}  // namespace

void replace_imports(const link_map* map, const ImportedFunction* functions, size_t count) {
  Object object;
  // The vDSO is in the list too, and imports nothing.
  if (!find_object(reinterpret_cast<uintptr_t>(map->l_ld), &object) || object.map != map) return;
  Imports(object, functions, count).replace();
}

}  // namespace ftprof
