// One behaviour of the ring per argument; tests/libmalloc/test_ring.py says under which settings.
#define _GNU_SOURCE
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

static int mapped(void* p, size_t bytes) {
  static unsigned char residency[1 << 18];
  return mincore(p, bytes, residency) == 0;
}

static void* cycled(size_t bytes) {
  void* p = malloc(bytes);
  touch(p, bytes);
  free(p);
  return p;
}

// Cycle D of ftprof-workload in short: the same block every time, and no fault.
static void same_block(void) {
  size_t bytes = 256 * kMiB;
  void* first = cycled(bytes);
  for (int i = 0; i < 15; i++) {
    void* p = malloc(bytes);
    CHECK(p == first);
    long before = faults();
    touch(p, bytes);
    CHECK(faults() == before);
    free(p);
  }
}

// The smallest that is large enough, whole; never one that would waste half.
static void best_fit(void) {
  void* small = cycled(160 * 4096);
  char* guard = malloc(200 * 4096);
  void* large = cycled(300 * 4096);
  void* p = malloc(155 * 4096);
  CHECK(p == small && malloc_usable_size(p) == 160 * 4096);
  void* q = malloc(151 * 4096);
  CHECK(q == large && malloc_usable_size(q) == 300 * 4096);
  free(q);
  void* r = malloc(150 * 4096);
  CHECK(r != large && malloc_usable_size(r) == 150 * 4096);
  free(guard);
}

static void newest_first(void) {
  void *a = malloc(kMiB), *b = malloc(kMiB), *c = malloc(kMiB);
  free(b);
  free(a);
  free(c);
  CHECK(malloc(kMiB) == c && malloc(kMiB) == a && malloc(kMiB) == b);
}

// entries=2
static void oldest_leaves(void) {
  void *a = malloc(kMiB), *b = malloc(2 * kMiB), *c = malloc(4 * kMiB);
  free(a);
  free(b);
  CHECK(mapped(a, kMiB) && mapped(b, 2 * kMiB));
  free(c);
  CHECK(!mapped(a, kMiB) && mapped(b, 2 * kMiB) && mapped(c, 4 * kMiB));
}

// entry_limit=2MiB, or entries=0
static void large_leaves(void) {
  void* p = cycled(2 * kMiB + 4096);
  CHECK(!mapped(p, 2 * kMiB + 4096));
}

// reserve far above what any machine has: memory is short whenever it is looked at
static void short_of_memory(void) {
  size_t total = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE), given = 0;
  void* first = cycled(kMiB);
  while (given < total / 64 + kMiB) {
    size_t bytes = 32 * kMiB;
    free(malloc(bytes));
    given += bytes;
  }
  CHECK(!mapped(first, kMiB));
}

static long lazily_free_kib(void) {
  FILE* file = fopen("/proc/self/smaps_rollup", "r");
  char line[256];
  long kib = -1;
  while (file && fgets(line, sizeof line, file)) sscanf(line, "LazyFree: %ld", &kib);
  fclose(file);
  return kib;
}

// hoard=4MiB
static void hoard_is_marked(void) {
  cycled(4 * kMiB);
  CHECK(lazily_free_kib() == 0);
  char* p = malloc(8 * kMiB);
  touch(p, 8 * kMiB);
  free(p);
  CHECK(lazily_free_kib() > 7 * kKiB);  // the kernel marks in batches, the last may be pending
  CHECK(malloc(8 * kMiB) == p);
  p = realloc(p, 8 * kMiB);
  touch(p, 8 * kMiB);
  CHECK(lazily_free_kib() == 0);
}

static void cleared_by_calloc(void) {
  unsigned char* p = malloc(3 * kMiB);
  memset(p, 0xFF, 3 * kMiB);
  free(p);
  unsigned char* q = calloc(3, kMiB);
  CHECK(q == p && is_zero(q, 3 * kMiB));
}

static void trim_empties(void) {
  void* p = cycled(8 * kMiB);
  CHECK(mapped(p, 8 * kMiB));
  CHECK(malloc_trim(0) == 1);
  CHECK(!mapped(p, 8 * kMiB));
}

// Growing moves the pages: touched ones cost nothing again. Shrinking gives the end back.
static void realloc_moves_pages(void) {
  char* p = malloc(16 * kMiB);
  touch(p, 16 * kMiB);
  long before = faults();
  p = realloc(p, 64 * kMiB);
  touch(p, 16 * kMiB);
  CHECK(faults() - before < 16);
  CHECK(realloc(p, 40 * kMiB) == p && malloc_usable_size(p) == 64 * kMiB);
  CHECK(realloc(p, 32 * kMiB) == p && malloc_usable_size(p) == 32 * kMiB);
  CHECK(!mapped(p + 32 * kMiB, 32 * kMiB));
}

// A part with another protection splits the mapping: it cannot grow as one, and is copied.
static void realloc_of_a_split_mapping(void) {
  char* p = malloc(4 * kMiB);
  memset(p, 7, 4 * kMiB);
  CHECK(mprotect(p + kMiB, 4096, PROT_READ) == 0);
  char* q = realloc(p, 8 * kMiB);
  CHECK(q && q[0] == 7 && q[kMiB] == 7 && q[4 * kMiB - 1] == 7);
  memset(q, 8, 8 * kMiB);
}

// Under a limit on address space what rests must not cost the program a request of either kind.
static void address_space_limit(void) {
  struct rlimit limit = {1u << 30, 1u << 30};
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
  char* p = malloc(600 * kMiB);
  CHECK(p);
  free(p);
  p = malloc(700 * kMiB);
  CHECK(p);
  free(p);
  for (int i = 0; i < 7000; i++) CHECK(malloc(100 * kKiB));
}

static void double_free(void) {
  void* volatile p = malloc(kMiB);
  free(p);
  free(p);
}

// Small blocks at page boundaries look like ours at first sight.
static void foreign_pages(void) {
  void* p[1000];
  for (int i = 0; i < 1000; i++) CHECK(posix_memalign(&p[i], 4096, 100) == 0);
  for (int i = 0; i < 1000; i++) {
    CHECK(malloc_usable_size(p[i]) < 127 * kKiB);
    if (i % 3 == 0) p[i] = realloc(p[i], 200);
    if (i % 3 == 1) p[i] = realloc(p[i], 200000);
    free(p[i]);
  }
}

// More blocks alive than the first table of the registry holds.
static void many_blocks(void) {
  enum { kCount = 6000 };
  static char* p[kCount];
  for (int i = 0; i < kCount; i++) *(int*)(p[i] = malloc(132 * kKiB)) = i;
  for (int i = 0; i < kCount; i += 2) free(p[i]);
  for (int i = 0; i < kCount; i += 2) *(int*)(p[i] = malloc(132 * kKiB)) = i;
  for (int i = 0; i < kCount; i++) CHECK(*(int*)p[i] == i);
  for (int i = 0; i < kCount; i++) free(p[i]);
}

#define BEHAVIOUR(name) \
  { #name, name }
static const struct {
  const char* name;
  void (*run)(void);
} kBehaviours[] = {
    BEHAVIOUR(same_block),          BEHAVIOUR(best_fit),
    BEHAVIOUR(newest_first),        BEHAVIOUR(oldest_leaves),
    BEHAVIOUR(large_leaves),        BEHAVIOUR(short_of_memory),
    BEHAVIOUR(hoard_is_marked),     BEHAVIOUR(cleared_by_calloc),
    BEHAVIOUR(trim_empties),        BEHAVIOUR(realloc_moves_pages),
    BEHAVIOUR(address_space_limit), BEHAVIOUR(realloc_of_a_split_mapping),
    BEHAVIOUR(double_free),         BEHAVIOUR(foreign_pages),
    BEHAVIOUR(many_blocks),
};

int main(int argc, char** argv) {
  CHECK(argc == 2);
  for (size_t i = 0; i < sizeof kBehaviours / sizeof *kBehaviours; i++) {
    if (strcmp(kBehaviours[i].name, argv[1]) != 0) continue;
    kBehaviours[i].run();
    printf("ok %s\n", argv[1]);
    return 0;
  }
  return 2;
}
