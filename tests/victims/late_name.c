/* A thread touches a block of main's, calls itself "late-name" and is gone at once. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "victim.h"

enum { kPages = 512 };

static void* touch(void* block) {
  for (long i = 0; i < kPages; i++) ((volatile char*)block)[i * sysconf(_SC_PAGESIZE)] = 1;
  require(!pthread_setname_np(pthread_self(), "late-name"));
  return 0;
}

int main(void) {
  size_t size = kPages * (size_t)sysconf(_SC_PAGESIZE);
  void* block = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(block != MAP_FAILED);
  require(!madvise(block, size, MADV_NOHUGEPAGE));
  pthread_t thread;
  require(!pthread_create(&thread, 0, touch, block) && !pthread_join(thread, 0));
  puts("ok late_name");
}
