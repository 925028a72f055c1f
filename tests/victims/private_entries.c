/* Asks the allocator by the entries that only it has, and gives blocks back across interfaces.
   Which allocator it runs on, it learns as real programs do: by looking for the names. */
#include "victim.h"

#define WEAK __attribute__((weak))
extern WEAK void* mallocx(size_t bytes, int flags);
extern WEAK void* rallocx(void* old, size_t bytes, int flags);
extern WEAK void dallocx(void* block, int flags);
extern WEAK void sdallocx(void* block, size_t bytes, int flags);
extern WEAK void* mi_malloc(size_t bytes);
extern WEAK void* mi_calloc(size_t n, size_t size);
extern WEAK void* mi_realloc(void* old, size_t bytes);
extern WEAK void mi_free(void* block);
extern WEAK void* tc_malloc(size_t bytes);
extern WEAK int tc_posix_memalign(void** to, size_t align, size_t bytes);
extern WEAK void* tc_realloc(void* old, size_t bytes);
extern WEAK void tc_free(void* block);

enum { kMib = 1 << 20 };

static void* filled(void* block) {
  require(block);
  return memset(block, 1, kMib);
}

static void* jemalloc_block(size_t bytes) {
  return mallocx(bytes, 0);
}
static void* jemalloc_resized(void* old, size_t bytes) {
  return rallocx(old, bytes, 0);
}
static void jemalloc_free(void* block) {
  dallocx(block, 0);
}

static void* mimalloc_resized(void* old, size_t bytes) {
  return mi_realloc(old, bytes);
}

static void* tcmalloc_block(size_t bytes) {
  void* block = NULL;
  return tc_posix_memalign(&block, 64, bytes) == 0 ? block : NULL;
}

struct Allocator {
  void* (*block)(size_t bytes);
  void* (*resized)(void* old, size_t bytes);
  void (*free)(void* block);
};

static void use(struct Allocator by) {
  void* block = filled(by.block(kMib));
  by.free(filled(by.resized(block, 2 * kMib)));
  free(filled(by.block(3 * kMib)));
  by.free(filled(malloc(4 * kMib)));
}

/* A table in the program's data: its words are bound when the program is loaded. */
static struct Allocator g_mimalloc = {mi_malloc, mimalloc_resized, mi_free};

int main(void) {
  const char* name = "none";
  if (mallocx != NULL) {
    use((struct Allocator){jemalloc_block, jemalloc_resized, jemalloc_free});
    sdallocx(filled(mallocx(5 * kMib, 0)), 5 * kMib, 0);
    name = "jemalloc";
  } else if (g_mimalloc.block != NULL) {
    use(g_mimalloc);
    mi_free(filled(mi_calloc(5, kMib)));
    name = "mimalloc";
  } else if (tc_malloc != NULL) {
    use((struct Allocator){tcmalloc_block, tc_realloc, tc_free});
    tc_free(filled(tc_malloc(5 * kMib)));
    name = "tcmalloc";
  }
  printf("ok private_entries %s\n", name);
  return 0;
}
