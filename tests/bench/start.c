/* start PROGRAM RUNS: microseconds to start PROGRAM and wait for its end, the minimum and the median
 * of RUNS. The environment passes through: set LD_PRELOAD in FTPROF_BENCH_PRELOAD. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  int runs = atoi(argv[2]);
  double *times = malloc(sizeof *times * runs);
  char *child[] = {argv[1], 0};
  if (getenv("FTPROF_BENCH_PRELOAD")) setenv("LD_PRELOAD", getenv("FTPROF_BENCH_PRELOAD"), 1);
  for (int i = 0; i < runs; i++) {
    pid_t pid;
    double begin = now_us();
    if (posix_spawn(&pid, argv[1], 0, 0, child, environ)) return 1;
    waitpid(pid, 0, 0);
    times[i] = now_us() - begin;
  }
  qsort(times, runs, sizeof *times, ascending);
  printf("%.1f %.1f\n", times[0], times[runs / 2]);
}
