/* Prints result and errno of a matrix of mmap calls, right and wrong; the same bare and profiled.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "victim.h"

int main(void) {
  int file = memfd_create("victim", 0);
  require(!ftruncate(file, 1 << 20));
  int flags[] = {MAP_PRIVATE | MAP_ANONYMOUS,
                 MAP_SHARED | MAP_ANONYMOUS,
                 MAP_PRIVATE,
                 MAP_SHARED,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB,
                 MAP_SHARED_VALIDATE | 0x80000,
                 0};
  int prots[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE};
  size_t sizes[] = {0, 1, 4097, kBig, (size_t)1 << 62};
  long offsets[] = {0, 4096, 100};
  for (unsigned f = 0; f < 9; f++)
    for (unsigned p = 0; p < 3; p++)
      for (unsigned s = 0; s < 5; s++)
        for (unsigned o = 0; o < 3; o++) {
          errno = 0;
          void* range = mmap(0, sizes[s], prots[p], flags[f], flags[f] & MAP_ANONYMOUS ? -1 : file,
                             offsets[o]);
          printf("%x %d %zx %ld: %s %d\n", flags[f], prots[p], sizes[s], offsets[o],
                 range == MAP_FAILED ? "failed" : "mapped", range == MAP_FAILED ? errno : 0);
          if (range != MAP_FAILED) munmap(range, sizes[s]);
        }
  errno = 0;
  printf("munmap of nothing: %d %d\n", munmap((void*)4096, 0), errno);
  errno = 0;
  printf("munmap unaligned: %d %d\n", munmap((void*)4097, 4096), errno);
  puts("ok mapping_errors");
}
