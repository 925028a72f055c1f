/* first_touches MODE: one mapping of 1000 pages, touched in one way; prints where it lies.
   MODE: write, read, read_write, scattered, huge, populate, populate_write, copy, failed, threads.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "victim.h"

enum { kPages = 1000, kPage = 4096, kThreads = 4 };
static const size_t kHuge = 2 << 20;

static void store(volatile char* range, int pages) {
  for (int i = 0; i < pages; i++) range[i * kPage] = 1;
}
static void load(volatile char* range, int pages) {
  for (int i = 0; i < pages; i++) (void)range[i * kPage];
}
/* Every page once, never the next one. 7 and 1000 share no divisor. */
static void store_scattered(volatile char* range) {
  for (int i = 0; i < kPages; i++) range[i * 7 % kPages * kPage] = 1;
}

static char* map(size_t bytes, int protection, int flags) {
  char* range = mmap(0, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  require(range != MAP_FAILED);
  return range;
}

/* pread fills the range: the kernel touches its pages. */
static void copy_in(char* range) {
  int file = open("/dev/zero", O_RDONLY);
  require(file >= 0 && read(file, range, kPages * kPage) == kPages * kPage);
  close(file);
}

/* Each page refuses its first store; the handler allows it: one failed fault and one real one. */
static void allow(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)context;
  mprotect((void*)((uintptr_t)info->si_addr & -kPage), kPage, PROT_READ | PROT_WRITE);
}
static void store_refused(char* range) {
  struct sigaction action = {.sa_sigaction = allow, .sa_flags = SA_SIGINFO};
  require(!sigaction(SIGSEGV, &action, 0));
  require(!mprotect(range, kPages * kPage, PROT_NONE));
  store(range, kPages);
}

static char* shared_range;
static void* store_quarter(void* number) {
  store(shared_range + (intptr_t)number * (kPages / kThreads) * kPage, kPages / kThreads);
  return 0;
}
static void store_by_threads(char* range) {
  pthread_t threads[kThreads];
  shared_range = range;
  for (intptr_t i = 0; i < kThreads; i++)
    require(!pthread_create(&threads[i], 0, store_quarter, (void*)i));
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], 0);
}

static char* huge_range(void) {
  char* range = map(3 * kHuge, PROT_READ | PROT_WRITE, 0);
  range = (char*)(((uintptr_t)range + kHuge - 1) & -kHuge);
  require(!madvise(range, 2 * kHuge, MADV_HUGEPAGE));
  return range;
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "write";
  /* The first tracked block begins the trace, so that the next one's faults are all seen. It stays:
     the next one must not come to lie where it was. */
  char* first = touched(kBig);
  size_t bytes = kPages * kPage;
  char* range;
  if (!strcmp(mode, "huge")) {
    range = huge_range();
    bytes = 2 * kHuge;
    store(range, 2 * kHuge / kPage);
  } else {
    range = map(bytes, PROT_READ | PROT_WRITE, strcmp(mode, "populate") ? 0 : MAP_POPULATE);
    require(!madvise(range, bytes, MADV_NOHUGEPAGE));
  }
  if (!strcmp(mode, "write")) store(range, kPages);
  if (!strcmp(mode, "read") || !strcmp(mode, "read_write")) load(range, kPages);
  if (!strcmp(mode, "read_write")) store(range, kPages);
  if (!strcmp(mode, "scattered")) store_scattered(range);
  if (!strcmp(mode, "populate_write")) require(!madvise(range, bytes, MADV_POPULATE_WRITE));
  if (!strcmp(mode, "copy")) copy_in(range);
  if (!strcmp(mode, "failed")) store_refused(range);
  if (!strcmp(mode, "threads")) store_by_threads(range);
  free(first);
  printf("%lu %lu\nok first_touches %s\n", (unsigned long)range, (unsigned long)bytes, mode);
}
