/* first_touch MIB ROUNDS [huge]: nanoseconds per page of a first touch and of a second one, each the
 * minimum over ROUNDS fresh mappings of MIB mebibytes, with huge pages advised off (or on: then a
 * page is a huge page). Prints: first second; and, with FTPROF_BENCH_MEDIAN set, the median of first
 * touches timed one by one in a further mapping, less that of second ones. */
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

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* With a look at the clock around each store: what the clock itself takes is in both passes. */
__attribute__((noinline)) static double median_touch(volatile char *bytes, size_t size, size_t step) {
  size_t pages = size / step;
  double *each = malloc(pages * sizeof *each);
  memset(each, 0, pages * sizeof *each);
  for (size_t i = 0; i < pages; i++) {
    double begin = now_ns();
    bytes[i * step] = 1;
    each[i] = now_ns() - begin;
  }
  qsort(each, pages, sizeof *each, ascending);
  double median = each[pages / 2];
  free(each);
  return median;
}

static double least(double a, double b) { return a < b ? a : b; }

int main(int argc, char **argv) {
  size_t size = (size_t)(argc > 1 ? atoi(argv[1]) : 256) << 20;
  int rounds = argc > 2 ? atoi(argv[2]) : 5;
  int huge = argc > 3 && !strcmp(argv[3], "huge");
  size_t step = huge ? kHugePage : kPage;
  double first = 1e18, second = 1e18, median = 0;
  int single = getenv("FTPROF_BENCH_MEDIAN") != 0;
  for (int i = 0; i < rounds + single; i++) {
    char *range = mmap(0, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *block = (char *)(((uintptr_t)range + kHugePage - 1) & ~(uintptr_t)(kHugePage - 1));
    madvise(block, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    if (i < rounds) {
      first = least(first, touch(block, size, step));
      second = least(second, touch(block, size, step));
    } else {
      median = median_touch(block, size, step);
      median -= median_touch(block, size, step);
    }
    munmap(range, size + kHugePage);
  }
  printf("%.2f %.2f %.2f\n", first, second, median);
}
