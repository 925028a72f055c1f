// plugins A.so B.so: loads, uses and unloads two plug-ins in turn (they take each other's place),
// also with RTLD_DEEPBIND and in a namespace of its own.
#include <dlfcn.h>

#include "victim.h"

using Plug = void* (*)(void*);

static void use(void* library) {
  require(library);
  Plug plug = reinterpret_cast<Plug>(dlsym(library, "plug"));
  require(plug);
  for (int i = 0; i < 10; i++) free(plug(malloc(kBig)));
  dlclose(library);
}

int main(int argc, char** argv) {
  require(argc == 3);
  for (int i = 0; i < 20; i++) use(dlopen(argv[1 + i % 2], RTLD_NOW | RTLD_LOCAL));
  use(dlopen(argv[1], RTLD_NOW | RTLD_DEEPBIND));
  // Another namespace has an allocator of its own: nothing may cross the border, only load.
  void* apart = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW);
  if (apart) dlclose(apart);
  puts("ok plugins");
}
