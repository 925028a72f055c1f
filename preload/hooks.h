// The exported functions. Each is a hook::NAME in here and a bare NAME to the linker, so that none
// collides with what libc's headers declare.
#pragma once

#include <stddef.h>

#define FTPROF_HOOK_wrap(name, result, parameters) \
  __attribute__((visibility("default"))) result name parameters asm(#name);
#define FTPROF_HOOK_jump(name, result, parameters)

namespace ftprof::hook {

#define HOOK(name, need, kind, result, parameters) FTPROF_HOOK_##kind(name, result, parameters)
#include "preload/hooks.def"
#undef HOOK

}  // namespace ftprof::hook
