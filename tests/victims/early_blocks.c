/* Allocates from the earliest constructor, from inside dlsym and dlerror, and from exit handlers.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "victim.h"

static char *early_small, *early_big, *error;

static void late(void) {
  free(touched(kBig));
}

__attribute__((constructor(101))) static void earliest(void) {
  dlsym(RTLD_NEXT, "no_such_name_anywhere");
  error = dlerror();
  early_small = calloc(3, 7);
  early_big = calloc(3, kBig);
  for (int i = 0; i < 100; i++) atexit(late);
}

__attribute__((destructor(101))) static void latest(void) {
  free(touched(kBig));
  free(early_big);
}

int main(void) {
  require(error && early_small && early_big);
  early_small = realloc(early_small, 5000);
  early_big = realloc(early_big, 5 * kBig);
  for (int i = 0; i < 100; i++) {
    dlsym(RTLD_DEFAULT, "nor_this_one");
    dlerror();
  }
  free(early_small);
  puts("ok early_blocks");
}
