/* The mmap family in every form, on ranges that are tracked; ends with the bytes that are left. */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "victim.h"

enum { K = 1024, kMapping = 1024 * K };

static char* map(size_t size) {
  char* range = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(range != MAP_FAILED);
  memset(range, 1, size);
  return range;
}

/* 1024 - 256 - 4 KiB stay. */
static void holes(void) {
  char* range = map(kMapping);
  require(!munmap(range + 256 * K, 256 * K));
  require(!munmap(range + 768 * K, 100));
  require(range[0] == 1 && range[kMapping - 1] == 1);
}

/* Two mappings, one munmap over the end of one and the start of the other; 200 KiB stay. */
static void spanning(void) {
  char* range = map(2 * kMapping);
  require(mmap(range + kMapping, kMapping, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == range + kMapping);
  memset(range + kMapping, 2, kMapping);
  require(!munmap(range + 100 * K, 2 * kMapping - 200 * K));
  require(range[0] == 1 && range[2 * kMapping - 1] == 2);
}

/* Grows with a move, shrinks, duplicates a shared one, fails; 512 KiB stay. */
static void remapping(void) {
  char* range = mremap(map(256 * K), 256 * K, 2048 * K, MREMAP_MAYMOVE);
  require(range != MAP_FAILED && range[256 * K - 1] == 1);
  memset(range, 3, 2048 * K);
  require(mremap(range, 2048 * K, 512 * K, 0) == range && range[512 * K - 1] == 3);
  char* shared = mmap(0, 256 * K, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  char* view = mremap(shared, 0, 256 * K, MREMAP_MAYMOVE);
  view[0] = 7;
  require(shared[0] == 7);
  errno = 0;
  require(mremap((void*)4096, 4096, 8192, 0) == MAP_FAILED && errno == EFAULT);
  char* place = mmap(0, 512 * K, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(mremap(range, 512 * K, 512 * K, MREMAP_MAYMOVE | MREMAP_FIXED, place) == place);
  require(place[0] == 3);
}

/* Reserve, then commit piece by piece, as arenas and garbage collectors do it. */
static void reserve_and_commit(void) {
  char* range =
      mmap(0, 64 * kMapping, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  for (int i = 0; i < 8; i++) {
    require(!mprotect(range + i * kMapping, kMapping, PROT_READ | PROT_WRITE));
    memset(range + i * kMapping, 1, kMapping);
  }
  require(!madvise(range, 4 * kMapping, MADV_DONTNEED));
  require(range[0] == 0 && range[5 * kMapping] == 1);
  require(!munmap(range, 64 * kMapping));
}

static void advice(void) {
  char* range = map(4 * kMapping);
  int kinds[] = {MADV_FREE, MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_WILLNEED, 22, 23, 25};
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) madvise(range, kMapping, kinds[i]);
  errno = 0;
  require(madvise(range + 1, kMapping, MADV_DONTNEED) == -1 && errno == EINVAL);
  require(!munmap(range, 4 * kMapping));
}

static void files_and_huge_pages(void) {
  int file = memfd_create("victim", 0);
  require(file >= 0 && !ftruncate(file, kMapping));
  char* shared = mmap64(0, kMapping, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  memset(shared, 5, kMapping);
  char* private = mmap(0, kMapping, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  require(private[kMapping - 1] == 5);
  private[0] = 6;
  require(shared[0] == 5);
  munmap(private, kMapping);
  munmap(shared, kMapping);
  close(file);
  char* huge = mmap(0, 2 * kMapping, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
  if (huge != MAP_FAILED) munmap(huge, 2 * kMapping);
  char* full =
      mmap(0, kMapping, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  munmap(full, kMapping);
}

int main(void) {
  holes();
  spanning();
  remapping();
  reserve_and_commit();
  advice();
  files_and_huge_pages();
  char* before = sbrk(2 * kMapping);
  memset(before, 1, 2 * kMapping);
  require(sbrk(0) == before + 2 * kMapping);
  puts("ok mapping_forms");
}
