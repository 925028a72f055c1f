/* One mapping of 256 pages, filled and dropped ten times: 2560 first touches, nothing resident. */
#include <sys/mman.h>

#include "victim.h"

enum { kPages = 256, kBytes = kPages * 4096 };

__attribute__((noinline)) static void fill(char* range) {
  for (int i = 0; i < kPages; i++) ((volatile char*)range)[i * 4096] = 1;
}

int main(void) {
  char* range = mmap(0, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(!madvise(range, kBytes, MADV_NOHUGEPAGE));
  for (int i = 0; i < 10; i++) {
    fill(range);
    require(!madvise(range, kBytes, MADV_DONTNEED));
  }
  puts("ok refaults");
}
