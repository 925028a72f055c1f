#include "preload/build_id.h"

#include <elf.h>
#include <link.h>
#include <string.h>

namespace ftprof {
namespace {

size_t rounded(size_t bytes) {
  return (bytes + 3) & ~size_t{3};
}

BuildId search(const char* at, const char* end) {
  BuildId id;
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) note;
    memcpy(&note, at, sizeof note);
    const char* name = at + sizeof note;
    const char* body = name + rounded(note.n_namesz);
    if (body + note.n_descsz > end) return id;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
      id.size = static_cast<uint8_t>(note.n_descsz < 20 ? note.n_descsz : 20);
      memcpy(id.bytes, body, id.size);
      return id;
    }
    at = body + rounded(note.n_descsz);
  }
  return id;
}

}  // namespace

BuildId read_build_id(uintptr_t begin, uintptr_t end, uintptr_t bias) {
  auto header = reinterpret_cast<const ElfW(Ehdr)*>(begin);
  // Headers that do not lie in the first page are not looked for: nothing says they are mapped.
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return {};
  if (header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) > 4096) return {};
  auto segments = reinterpret_cast<const ElfW(Phdr)*>(begin + header->e_phoff);
  for (int i = 0; i < header->e_phnum; ++i) {
    uintptr_t at = bias + segments[i].p_vaddr;
    if (segments[i].p_type != PT_NOTE || at < begin || at + segments[i].p_memsz > end) continue;
    auto notes = reinterpret_cast<const char*>(at);
    BuildId id = search(notes, notes + segments[i].p_memsz);
    if (id.size > 0) return id;
  }
  return {};
}

}  // namespace ftprof
