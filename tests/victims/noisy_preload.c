/* A second preloaded library whose hooks of libc functions allocate, also big blocks. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static __thread int inside;

static void allocate(void) {
  if (inside) return;
  inside = 1;
  void* volatile small = malloc(33);
  void* volatile big = malloc(400000);
  free(big);
  free(small);
  inside = 0;
}

int open(const char* path, int flags, ...) {
  static int (*next)(const char*, int, ...);
  va_list rest;
  va_start(rest, flags);
  int mode = va_arg(rest, int);
  va_end(rest);
  allocate();
  if (!next) next = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open");
  return next(path, flags, mode);
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  static int (*next)(clockid_t, struct timespec*);
  allocate();
  if (!next) next = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  return next(clock, time);
}

void* mmap(void* at, size_t size, int prot, int flags, int fd, off_t offset) {
  static void* (*next)(void*, size_t, int, int, int, off_t);
  if (!next) next = (void* (*)(void*, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
  return next(at, size, prot, flags, fd, offset);
}
