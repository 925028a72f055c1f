/* A thread's last fault fails, and the thread lives on without another one. Then main touches a
 * block: none of its faults may wait for that thread's. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include "victim.h"

enum { kPages = 800, kPage = 4096 };

static sigjmp_buf back;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int has_failed[2];

static void on_fault(int unused) {
  (void)unused;
  siglongjmp(back, 1);
}

static void* fail_once(void* address) {
  char told = 1;
  if (!sigsetjmp(back, 1)) *(volatile char*)address = 1;
  require(write(has_failed[1], &told, 1) == 1);
  pthread_mutex_lock(&gate);
  return 0;
}

int main(void) {
  pthread_t thread;
  char told = 0;
  volatile char* block = malloc(kPages * kPage);
  require(block && !pipe(has_failed) && signal(SIGSEGV, on_fault) != SIG_ERR);
  pthread_mutex_lock(&gate);
  require(!pthread_create(&thread, 0, fail_once, (void*)16));
  require(read(has_failed[0], &told, 1) == 1);
  for (int i = 0; i < kPages; i++) block[i * kPage] = 1;
  printf("ok fails_and_waits %d\n", kPages);
}
