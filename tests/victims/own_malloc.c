/* A program that defines malloc itself, over one mapping of its own, as browsers do. */
#include <sys/mman.h>

#include "victim.h"

static char* arena;
static size_t used;

void* malloc(size_t size) {
  if (arena == NULL)
    arena = mmap(0, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char* block = arena + used;
  used += (size + 15) & ~(size_t)15;
  return block;
}
void free(void* block) {
  (void)block;
}
void* calloc(size_t n, size_t size) {
  return malloc(n * size);
}
void* realloc(void* old, size_t size) {
  void* block = malloc(size);
  return old == NULL ? block : memcpy(block, old, size);
}

int main(void) {
  char* big = malloc(kBig);
  require(big);
  memset(big, 1, kBig);
  puts("ok own_malloc");
  return 0;
}
