/* mixed ROUNDS: one site whose pages are paid for in every way at once. Of each block 600 pages are
 * read, 600 stored to, 300 read and then stored to, by two functions and two threads. */
#include <pthread.h>
#include <sys/prctl.h>

#include "victim.h"

enum { kPage = 4096, kPages = 2400 };
static unsigned long sum;

__attribute__((noinline)) static void load(volatile char* block, int from, int pages) {
  for (int i = from; i < from + pages; i++) sum += (unsigned char)block[i * kPage];
}

__attribute__((noinline)) static void store(volatile char* block, int from, int pages) {
  for (int i = from; i < from + pages; i++) block[i * kPage] = 1;
}

static void* of_another_thread(void* block) {
  store(block, 1500, 300);
  load(block, 1800, 300);
  return 0;
}

__attribute__((noinline)) static char* mixed_block(void) {
  char* block = malloc((kPages + 1) * kPage);
  require(block && !prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
  return block + kPage - (unsigned long)block % kPage;
}

int main(int argc, char** argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  for (int round = 0; round < rounds; round++) {
    char* block = mixed_block();
    pthread_t thread;
    load(block, 0, 300);
    store(block, 300, 300);
    load(block, 600, 300);
    store(block, 600, 300);
    require(!pthread_create(&thread, 0, of_another_thread, block));
    pthread_join(thread, 0);
  }
  printf("ok mixed %lu\n", sum);
}
