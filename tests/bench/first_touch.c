/* first_touch MIB ROUNDS [huge]: nanoseconds per page of a first touch and of a second one, each the
 * minimum over ROUNDS fresh mappings of MIB mebibytes, with huge pages advised off (or on: then a
 * page is a huge page). Prints: first second. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { kPage = 4096, kHugePage = 2 << 20 };

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

__attribute__((noinline)) static double touch(volatile char *bytes, size_t size, size_t step) {
  double begin = now_ns();
  for (size_t i = 0; i < size; i += step) bytes[i] = 1;
  return (now_ns() - begin) / (size / step);
}

static double least(double a, double b) { return a < b ? a : b; }

int main(int argc, char **argv) {
  size_t size = (size_t)(argc > 1 ? atoi(argv[1]) : 256) << 20;
  int rounds = argc > 2 ? atoi(argv[2]) : 5;
  int huge = argc > 3 && !strcmp(argv[3], "huge");
  size_t step = huge ? kHugePage : kPage;
  double first = 1e18, second = 1e18;
  for (int i = 0; i < rounds; i++) {
    char *range = mmap(0, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *block = (char *)(((uintptr_t)range + kHugePage - 1) & ~(uintptr_t)(kHugePage - 1));
    madvise(block, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    first = least(first, touch(block, size, step));
    second = least(second, touch(block, size, step));
    munmap(range, size + kHugePage);
  }
  printf("%.2f %.2f\n", first, second);
}
