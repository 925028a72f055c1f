/* What every victim needs: a check that ends it with the line at fault, and sizes that are tracked.
 */
#pragma once

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define require(condition)                                                            \
  do {                                                                                \
    if (!(condition)) {                                                               \
      printf("not ok %s:%d: %s (errno %d)\n", __FILE__, __LINE__, #condition, errno); \
      fflush(stdout);                                                                 \
      _Exit(1);                                                                       \
    }                                                                                 \
  } while (0)

/* Above the default blocks.min_size, and no round number, so that a report shows whose it is. */
enum { kBig = 300 * 1024 + 16 };

/* A block of `size` bytes whose first and last byte were stored. */
__attribute__((unused)) static char* touched(size_t size) {
  char* block = (char*)malloc(size);
  require(block);
  block[0] = 1;
  block[size - 1] = 1;
  return block;
}
