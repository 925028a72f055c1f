/* Two threads that live at the same time and take turns: each asks for a block of 8 MiB, stores
   into every page, and frees it. A heap of its own for each thread keeps the pages from the other;
   one heap for both hands them on. Prints the pages that the second thread paid for. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "victim.h"

enum { kBytes = 8 << 20, kPage = 4096 };
static sem_t first_is_done, second_is_done;
static long second_faults;

static long faults_of_thread(void) {
  struct rusage used;
  require(!getrusage(RUSAGE_THREAD, &used));
  return used.ru_minflt;
}

__attribute__((noinline)) static void fill(volatile char* block) {
  for (int at = 0; at < kBytes; at += kPage) block[at] = 1;
}

__attribute__((noinline)) static void use_block(void) {
  char* block = malloc(kBytes);
  require(block);
  fill(block);
  free(block);
}

static void* first(void* unused) {
  use_block();
  sem_post(&first_is_done);
  sem_wait(&second_is_done);
  return unused;
}

static void* second(void* unused) {
  sem_wait(&first_is_done);
  long before = faults_of_thread();
  use_block();
  second_faults = faults_of_thread() - before;
  sem_post(&second_is_done);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  sem_init(&first_is_done, 0, 0);
  sem_init(&second_is_done, 0, 0);
  require(!pthread_create(&threads[0], NULL, first, NULL));
  require(!pthread_create(&threads[1], NULL, second, NULL));
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("ok arenas %ld\n", second_faults);
  return 0;
}
