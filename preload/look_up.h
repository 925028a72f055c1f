// dlsym for use at any moment.
//
// A failed dlsym leaves an error for dlerror(). It must not be there when the program asks, but
// dlerror() itself must not be called from a hook: it translates the message, which takes libc's
// locale lock, and the hook may run under that very lock (newlocale allocates). A dlsym that
// succeeds drops the message as well.
#pragma once

#include <dlfcn.h>

namespace ftprof {

inline void* look_up(void* handle, const char* name) {
  void* found = dlsym(handle, name);
  if (found == nullptr) dlsym(RTLD_DEFAULT, "malloc");
  return found;
}

}  // namespace ftprof
