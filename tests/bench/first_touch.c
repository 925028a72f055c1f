/* first_touch MIB ROUNDS: nanoseconds per page of a first touch, the minimum over ROUNDS fresh
 * mappings of MIB mebibytes. Huge pages are advised off. Prints the minimum and the mean. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

__attribute__((noinline)) static void touch(volatile char *bytes, size_t size) {
  for (size_t i = 0; i < size; i += 4096) bytes[i] = 1;
}

int main(int argc, char **argv) {
  size_t size = (size_t)(argc > 1 ? atoi(argv[1]) : 256) << 20;
  int rounds = argc > 2 ? atoi(argv[2]) : 5;
  double best = 1e18, sum = 0;
  for (int i = 0; i < rounds; i++) {
    char *block = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(block, size, MADV_NOHUGEPAGE);
    double begin = now_ns();
    touch(block, size);
    double ns = (now_ns() - begin) / (size / 4096);
    munmap(block, size);
    if (ns < best) best = ns;
    sum += ns;
  }
  printf("%.2f %.2f\n", best, sum / rounds);
}
