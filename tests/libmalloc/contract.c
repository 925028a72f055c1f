// Every form of the C interface with sizes on both sides of the threshold: results, alignment,
// errno, bytes kept by realloc, zeros of calloc out of a dirty ring. Small sizes are the next
// allocator's: of those only what all of them hold is checked.
#define _GNU_SOURCE
#include <malloc.h>
#include <unistd.h>

#include "check.h"

extern void cfree(void*) __attribute__((weak));
extern void free_sized(void*, size_t) __attribute__((weak));
extern void free_aligned_sized(void*, size_t, size_t) __attribute__((weak));

static const size_t kSizes[] = {0,      1,      100,     4096,          100000,  127 * kKiB, 130049,
                                131072, 200000, 1 << 20, (1 << 20) + 1, 5000001, 64 << 20};
enum { kSizeCount = sizeof kSizes / sizeof *kSizes };

static void release_keeps_errno(void* p) {
  errno = 77;
  free(p);
  CHECK(errno == 77);
}

static void fill(void* p, size_t n) {
  memset(p, 0xA5, n);
}

static void plain(size_t n) {
  free(malloc(n));  // mimalloc's very first request sets errno
  errno = 78;
  char* p = malloc(n);
  CHECK(p && errno == 78);
  CHECK((uintptr_t)p % (n < 16 ? 8 : 16) == 0);
  CHECK(malloc_usable_size(p) >= n);
  fill(p, malloc_usable_size(p));
  release_keeps_errno(p);
}

static void zeroed(size_t n) {
  fill(calloc(1, n), n);
  for (int i = 0; i < 3; i++) {
    char* dirty = malloc(n);
    fill(dirty, n);
    free(dirty);
    char* p = calloc(n ? n : 1, 1);
    CHECK(p && is_zero(p, n));
    free(p);
  }
}

static void aligned(size_t n) {
  for (size_t alignment = 8; alignment <= 8 * kMiB; alignment *= 4) {
    void* p = NULL;
    errno = 79;
    CHECK(posix_memalign(&p, alignment, n) == 0 && errno == 79);
    CHECK((uintptr_t)p % alignment == 0);
    fill(p, n);
    release_keeps_errno(p);
    p = memalign(alignment, n);
    CHECK(p && (uintptr_t)p % alignment == 0);
    fill(p, n);
    free(p);
    p = aligned_alloc(alignment, n);
    CHECK(p && (uintptr_t)p % alignment == 0);
    fill(p, n);
    free(p);
  }
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  void* p = valloc(n);
  CHECK(p && (uintptr_t)p % page == 0);
  free(p);
  p = pvalloc(n);
  CHECK(p && (uintptr_t)p % page == 0 && malloc_usable_size(p) >= (n + page - 1) / page * page);
  free(p);
}

static void number(unsigned char* p, size_t n) {
  for (size_t i = 0; i < n; i++) p[i] = (unsigned char)(i * 31 + (i >> 9));
}

static int numbered(const unsigned char* p, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (p[i] != (unsigned char)(i * 31 + (i >> 9))) return 0;
  return 1;
}

static void resized(size_t from, size_t to) {
  unsigned char* p = malloc(from);
  number(p, from);
  errno = 80;
  unsigned char* q = realloc(p, to);
  CHECK(errno == 80);
  if (to == 0) {
    free(q);  // null, or what the next allocator gives for no bytes
    return;
  }
  CHECK(q && malloc_usable_size(q) >= to);
  CHECK(numbered(q, from < to ? from : to));
  fill(q, to);
  free(q);
}

static void refused(void) {
  volatile size_t huge = SIZE_MAX / 2;
  errno = 0;
  CHECK(!malloc(huge + 2) && errno == ENOMEM);
  errno = 0;
  CHECK(!calloc(huge, 3) && errno == ENOMEM);
  errno = 0;
  CHECK(!reallocarray(NULL, huge, 3) && errno == ENOMEM);
  errno = 0;
  CHECK(!memalign(64, huge) && errno == ENOMEM);
  errno = 0;
  CHECK(!aligned_alloc(4096, huge - 4095) && errno == ENOMEM);
  errno = 0;
  CHECK(!valloc(huge) && errno == ENOMEM);
  errno = 0;
  CHECK(!pvalloc(SIZE_MAX) && errno == ENOMEM);
  int there;
  void *untouched = &there, *p = untouched;
  errno = 81;
  CHECK(posix_memalign(&p, 64, huge) == ENOMEM && p == untouched && errno == 81);
  CHECK(posix_memalign(&p, 3, kMiB) == EINVAL && p == untouched);
  CHECK(posix_memalign(&p, 4, kMiB) == EINVAL && p == untouched);
  CHECK(posix_memalign(&p, 0, kMiB) == EINVAL && p == untouched);
  CHECK(posix_memalign(&p, 24, 10) == EINVAL && p == untouched && errno == 81);
}

static void failed_realloc_keeps_the_block(size_t n) {
  volatile size_t huge = SIZE_MAX / 2;
  unsigned char* p = malloc(n);
  number(p, n);
  errno = 0;
  CHECK(!realloc(p, huge) && errno == ENOMEM);
  errno = 0;
  CHECK(!realloc(p, (size_t)1 << 46) && errno == ENOMEM);  // more than the machine's addresses
  errno = 0;
  CHECK(!reallocarray(p, huge, 4) && errno == ENOMEM);
  CHECK(numbered(p, n));
  free(p);
}

static void rare_frees(void) {
  if (cfree) cfree(malloc(kMiB));
  if (free_sized) free_sized(malloc(kMiB), kMiB);
  if (free_aligned_sized) free_aligned_sized(memalign(8192, kMiB), 8192, kMiB);
  errno = 82;
  free(NULL);
  CHECK(errno == 82 && malloc_usable_size(NULL) == 0);
  void* p = realloc(NULL, kMiB);
  CHECK(p);
  CHECK(!realloc(p, 0));
  malloc_trim(0);
}

int main(void) {
  for (int i = 0; i < kSizeCount; i++) {
    plain(kSizes[i]);
    zeroed(kSizes[i]);
    failed_realloc_keeps_the_block(kSizes[i]);
    for (int j = 0; j < kSizeCount; j++) resized(kSizes[i], kSizes[j]);
  }
  for (int i = 1; i < kSizeCount; i++) aligned(kSizes[i]);
  refused();
  rare_frees();
  puts("ok contract");
}
