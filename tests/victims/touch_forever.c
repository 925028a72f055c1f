/* touch_forever THREADS ROUNDS: each thread fills and drops 4 MiB ROUNDS times, as fast as it can.
 */
#include <pthread.h>
#include <sys/mman.h>

#include "victim.h"

enum { kPages = 1024, kPage = 4096 };
static int rounds;

static void* fill_and_drop(void* unused) {
  volatile char* range =
      mmap(0, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(range != MAP_FAILED);
  require(!madvise((void*)range, kPages * kPage, MADV_NOHUGEPAGE));
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < kPages; i++) range[i * kPage] = 1;
    require(!madvise((void*)range, kPages * kPage, MADV_DONTNEED));
  }
  return unused;
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static void* wait_at_gate(void* unused) {
  pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&gate);
  return unused;
}

int main(int argc, char** argv) {
  pthread_t threads[64], waiting[500];
  int waiters = argc > 3 ? atoi(argv[3]) : 0;
  int count = argc > 1 ? atoi(argv[1]) : 1;
  rounds = argc > 2 ? atoi(argv[2]) : 1;
  require(count <= 64 && waiters <= 500);
  pthread_mutex_lock(&gate);
  free(touched(kBig));
  for (int i = 0; i < waiters; i++) require(!pthread_create(&waiting[i], 0, wait_at_gate, 0));
  for (int i = 0; i < count; i++) require(!pthread_create(&threads[i], 0, fill_and_drop, 0));
  for (int i = 0; i < count; i++) pthread_join(threads[i], 0);
  pthread_mutex_unlock(&gate);
  for (int i = 0; i < waiters; i++) pthread_join(waiting[i], 0);
  printf("ok touch_forever %d\n", count * rounds * kPages);
}
