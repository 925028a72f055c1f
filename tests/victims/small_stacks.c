/* The smallest stacks that threads may have, libc's and the program's own, in every hooked call. */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "victim.h"

static void* allocate(void* unused) {
  char* volatile small = realloc(malloc(40), 4000);
  char* volatile big = realloc(calloc(1, kBig), 3 * kBig);
  void* aligned;
  require(!posix_memalign(&aligned, 4096, kBig));
  char* range = mmap(0, kBig, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(range, kBig & ~4095, MADV_DONTNEED);
  munmap(range, kBig);
  free(aligned);
  free(big);
  free(small);
  return unused;
}

static void run(const pthread_attr_t* attributes) {
  pthread_t thread;
  require(!pthread_create(&thread, attributes, allocate, 0));
  pthread_join(thread, 0);
}

int main(void) {
  long size = sysconf(_SC_THREAD_STACK_MIN);
  if (size < PTHREAD_STACK_MIN) size = PTHREAD_STACK_MIN;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  require(!pthread_attr_setstacksize(&attributes, size));
  run(&attributes);
  char* guarded = mmap(0, size + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(guarded + 4096, size, PROT_READ | PROT_WRITE);
  require(!pthread_attr_setstack(&attributes, guarded + 4096, size));
  run(&attributes);
  puts("ok small_stacks");
}
