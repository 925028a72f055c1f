#include "analyzer/elf_facts.h"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace ftprof {
namespace {

// Under their own names they win over ours, since the program's symbols come first; under a prefix
// they never reach ours.
constexpr std::string_view kAllocators[] = {"malloc",    "je_malloc", "je_mallocx", "_rjem_malloc",
                                            "mi_malloc", "tc_malloc", "rpmalloc"};

class ElfFile {
 public:
  explicit ElfFile(const std::string& path) {
    elf_version(EV_CURRENT);
    file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file_ >= 0) elf_ = elf_begin(file_, ELF_C_READ_MMAP, nullptr);
  }
  ~ElfFile() {
    elf_end(elf_);
    if (file_ >= 0) close(file_);
  }
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  bool is_elf() const { return elf_ && elf_kind(elf_) == ELF_K_ELF; }
  Elf* get() const { return elf_; }

  template <class Visit>
  void for_each_section(Visit visit) const {
    size_t names = 0;
    if (elf_getshdrstrndx(elf_, &names) != 0) return;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section));) {
      GElf_Shdr header;
      if (!gelf_getshdr(section, &header)) continue;
      const char* name = elf_strptr(elf_, names, header.sh_name);
      visit(section, header, std::string_view(name ? name : ""));
    }
  }

 private:
  int file_ = -1;
  Elf* elf_ = nullptr;
};

std::string interpreter_of(const ElfFile& file) {
  size_t count = 0, size = 0;
  if (elf_getphdrnum(file.get(), &count) != 0) return "";
  const char* bytes = elf_rawfile(file.get(), &size);
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (!gelf_getphdr(file.get(), static_cast<int>(i), &header) || header.p_type != PT_INTERP)
      continue;
    if (!bytes || header.p_offset >= size || header.p_filesz > size - header.p_offset) return "";
    return std::string(bytes + header.p_offset, strnlen(bytes + header.p_offset, header.p_filesz));
  }
  return "";
}

void read_dynamic(const ElfFile& file, Elf_Scn* section, const GElf_Shdr& header, ElfFacts& facts) {
  Elf_Data* data = elf_getdata(section, nullptr);
  GElf_Dyn entry;
  for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; ++i) {
    if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_SONAME) continue;
    const char* name = elf_strptr(file.get(), header.sh_link, entry.d_un.d_val);
    if (!name) continue;
    if (entry.d_tag == DT_NEEDED) facts.needed.emplace_back(name);
    if (entry.d_tag == DT_SONAME) facts.soname = name;
  }
}

void read_symbols(const ElfFile& file, Elf_Scn* section, const GElf_Shdr& header, ElfFacts& facts) {
  Elf_Data* data = elf_getdata(section, nullptr);
  GElf_Sym symbol;
  for (int i = 0; data && gelf_getsym(data, i, &symbol); ++i) {
    if (symbol.st_shndx == SHN_UNDEF || GELF_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
    const char* name = elf_strptr(file.get(), header.sh_link, symbol.st_name);
    if (name && std::ranges::count(kAllocators, std::string_view(name))) facts.own_allocator = name;
  }
}

}  // namespace

std::optional<ElfFacts> elf_facts(const std::string& path) {
  ElfFile file(path);
  if (!file.is_elf()) return std::nullopt;
  ElfFacts facts;
  facts.is_64_bit = gelf_getclass(file.get()) == ELFCLASS64;
  facts.interpreter = interpreter_of(file);
  file.for_each_section([&](Elf_Scn* section, const GElf_Shdr& header, std::string_view name) {
    if (name == ".note.go.buildid" || name == ".gopclntab") facts.is_go = true;
    if (header.sh_type == SHT_DYNAMIC) read_dynamic(file, section, header, facts);
    if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
      read_symbols(file, section, header, facts);
  });
  return facts;
}

}  // namespace ftprof
