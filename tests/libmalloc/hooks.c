// A preload whose mmap family allocates large blocks itself, as a hook in front of the allocator
// may: the allocator must hold no lock over a call to the kernel. Counts what passes.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread int inside;
static int calls;

static void allocate(void) {
  if (inside++ == 0) {
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    free(realloc(malloc(300000), 600000));
  }
  inside--;
}

void* mmap(void* at, size_t bytes, int protection, int flags, int fd, off_t offset) {
  allocate();
  return (void*)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
}

int munmap(void* at, size_t bytes) {
  allocate();
  return (int)syscall(SYS_munmap, at, bytes);
}

int madvise(void* at, size_t bytes, int advice) {
  allocate();
  return (int)syscall(SYS_madvise, at, bytes, advice);
}

__attribute__((destructor)) static void say(void) {
  fprintf(stderr, "hooked %s\n", calls ? "some" : "none");
}
