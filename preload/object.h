// Which loaded object holds an address: the loader's lock-free lookup (glibc 2.35), no more.
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>

namespace ftprof {

struct Object {
  uintptr_t begin = 0, end = 0;
  const link_map* map = nullptr;
  const uint8_t* eh_frame_hdr = nullptr;  // may be null

  bool holds(uintptr_t address) const { return address >= begin && address < end; }
};

// Async-signal-safe, takes no lock, needs no TLS. False for addresses of no loaded object.
inline bool find_object(uintptr_t address, Object* object) {
  dl_find_object found;
  if (_dl_find_object(reinterpret_cast<void*>(address), &found) != 0) return false;
  object->begin = reinterpret_cast<uintptr_t>(found.dlfo_map_start);
  object->end = reinterpret_cast<uintptr_t>(found.dlfo_map_end);
  object->map = found.dlfo_link_map;
  object->eh_frame_hdr = static_cast<const uint8_t*>(found.dlfo_eh_frame);
  return true;
}

}  // namespace ftprof
