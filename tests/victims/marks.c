/* annotate.h: a mark, and a pool of the program's own that says what it hands out. */
#include "preload/annotate.h"
#include "victim.h"

int main(void) {
  FTPROF_MARK("loading");
  char* slab = touched(4 << 20);
  for (int round = 0; round < 3; round++) {
    FTPROF_POOL_HANDOUT(slab + (1 << 20), 1 << 20);
    memset(slab + (1 << 20), round, 1 << 20);
    FTPROF_POOL_GIVEBACK(slab + (1 << 20), 1 << 20);
  }
  FTPROF_MARK("ready");
  free(slab);
  puts("ok marks");
}
