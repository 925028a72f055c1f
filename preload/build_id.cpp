#include "preload/build_id.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "preload/peek.h"

namespace ftprof {
namespace {

size_t rounded(size_t bytes) {
  return (bytes + 3) & ~size_t{3};
}

BuildId search(uintptr_t at, uintptr_t end) {
  BuildId id;
  ElfW(Nhdr) note;
  while (at + sizeof note <= end && peek(&note, at)) {
    uintptr_t name = at + sizeof note, body = name + rounded(note.n_namesz);
    char owner[4] = {};
    if (body + note.n_descsz > end) return id;
    bool ours = note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof owner;
    if (ours && peek(&owner, name) && memcmp(owner, "GNU", 4) == 0) {
      size_t bytes = note.n_descsz < sizeof id.bytes ? note.n_descsz : sizeof id.bytes;
      id.size = static_cast<uint8_t>(peek(id.bytes, body, bytes));
      return id;
    }
    at = body + rounded(note.n_descsz);
  }
  return id;
}

}  // namespace

BuildId read_build_id(uintptr_t begin, uintptr_t end, uintptr_t bias) {
  ElfW(Ehdr) header;
  ElfW(Phdr) segment;
  if (!peek(&header, begin) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  for (int i = 0; i < header.e_phnum; ++i) {
    if (!peek(&segment, begin + header.e_phoff + static_cast<size_t>(i) * sizeof segment))
      return {};
    uintptr_t at = bias + segment.p_vaddr;
    if (segment.p_type != PT_NOTE || at < begin || at + segment.p_memsz > end) continue;
    BuildId id = search(at, at + segment.p_memsz);
    if (id.size > 0) return id;
  }
  return {};
}

}  // namespace ftprof
