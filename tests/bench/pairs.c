/* pairs SIZE [LIVE]: nanoseconds per malloc/free pair of SIZE bytes, the minimum of many rounds,
 * with LIVE blocks of 1 MiB held meanwhile (so that a profiler has tracked blocks). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kRounds = 200, kPairs = 20000 };

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static double round_ns(size_t size) {
  double begin = now_ns();
  for (int i = 0; i < kPairs; i++) {
    char *volatile block = malloc(size);
    *block = 1;
    free(block);
  }
  return (now_ns() - begin) / kPairs;
}

int main(int argc, char **argv) {
  size_t size = argc > 1 ? strtoul(argv[1], 0, 0) : 16;
  int live = argc > 2 ? atoi(argv[2]) : 0;
  for (int i = 0; i < live; i++) {
    char *volatile held = malloc(1 << 20);
    held[0] = 1;
  }
  double best = 1e9;
  for (int i = 0; i < kRounds; i++) {
    double ns = round_ns(size);
    if (ns < best) best = ns;
  }
  printf("%.3f\n", best);
}
