/* A pool of the program's own that was never told about: one mapping, cut up by name. */
#include <sys/mman.h>

#include "victim.h"

static char* arena;
static size_t used;

__attribute__((noinline)) void* je_malloc(size_t size) {
  char* block = arena + used;
  used += size;
  return block;
}

int main(void) {
  arena = mmap(0, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 100; i++) memset(je_malloc(256 << 10), 1, 256 << 10);
  puts("ok own_pool");
}
