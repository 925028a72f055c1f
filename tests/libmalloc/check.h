// What the victims share: CHECK ends the program with status 1 and the line that did not hold.
#pragma once

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define CHECK(condition)                                                                \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      fprintf(stderr, "%s:%d: %s (errno %d)\n", __FILE__, __LINE__, #condition, errno); \
      exit(1);                                                                          \
    }                                                                                   \
  } while (0)

enum { kKiB = 1024, kMiB = 1024 * 1024 };

static inline long faults(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

// Writes every page, so that the loop survives and each page is resident.
static inline void touch(void* p, size_t bytes) {
  volatile char* byte = p;
  for (size_t i = 0; i < bytes; i += 4096) byte[i] = (char)(i >> 12);
}

static inline int is_zero(const void* p, size_t bytes) {
  const char* byte = p;
  for (size_t i = 0; i < bytes; i++)
    if (byte[i]) return 0;
  return 1;
}
