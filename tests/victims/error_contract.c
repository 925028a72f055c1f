/* Every entry's error contract, and errno kept when nothing failed. One line where it breaks. */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdint.h>

#include "victim.h"

static void alignment_errors(void) {
  void* const before = (void*)0x1234;
  void* block = before;
  errno = 77;
  require(posix_memalign(&block, 3, 10) == EINVAL && block == before && errno == 77);
  require(posix_memalign(&block, 4, 10) == EINVAL && block == before);
  require(posix_memalign(&block, 0, 10) == EINVAL && block == before);
  require(posix_memalign(&block, 64, (size_t)PTRDIFF_MAX + 1) == ENOMEM && block == before);
  require(posix_memalign(&block, 4096, kBig) == 0 && ((uintptr_t)block & 4095) == 0);
  free(block);
}

static void errno_is_kept(void) {
  for (size_t size = 1; size < (64u << 20); size = size * 3 + 1) {
    errno = 78;
    char* volatile block = malloc(size);
    require(block && errno == 78);
    free(block);
    require(errno == 78);
    block = calloc(1, size);
    require(block && errno == 78);
    block = realloc(block, size / 2 + 1);
    require(block && errno == 78);
    free(block);
    require(errno == 78);
  }
  free(0);
  require(errno == 78);
}

static void impossible_sizes(void) {
  volatile size_t huge = SIZE_MAX / 2;
  errno = 0;
  require(!malloc(huge + 2) && errno == ENOMEM);
  errno = 0;
  require(!calloc(huge, 3) && errno == ENOMEM);
  char* kept = touched(kBig);
  errno = 0;
  require(!realloc(kept, huge) && errno == ENOMEM);
  errno = 0;
  require(!reallocarray(kept, huge, 3) && errno == ENOMEM);
  require(kept[0] == 1 && kept[kBig - 1] == 1);
  free(kept);
}

static void realloc_forms(void) {
  char* block = realloc(0, kBig);
  require(block);
  memset(block, 9, kBig);
  block = realloc(block, 3 * kBig);
  require(block && block[kBig - 1] == 9);
  block = realloc(block, kBig / 2);
  require(block && block[kBig / 2 - 1] == 9);
  block = realloc(block, 100);
  require(block && block[99] == 9);
  block = realloc(block, kBig);
  require(block && block[99] == 9);
  require(malloc_usable_size(block) >= kBig);
  free(block);
}

int main(void) {
  alignment_errors();
  errno_is_kept();
  impossible_sizes();
  realloc_forms();
  puts("ok error_contract");
}
