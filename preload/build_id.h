// The build id of a loaded object, from its program headers in memory. The object may be unloaded
// meanwhile: then it has none.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ftprof {

struct BuildId {
  uint8_t bytes[20] = {};
  uint8_t size = 0;  // 0: it has none
};

// `begin`: where the object's first segment is mapped, its ELF header.
BuildId read_build_id(uintptr_t begin, uintptr_t end, uintptr_t bias);

}  // namespace ftprof
