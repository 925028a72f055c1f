// fork while other threads allocate, free, resize large blocks, with fork handlers on both sides of
// the allocator's own that allocate too. Every child allocates in every form and frees a block of
// the parent's.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { kThreads = 4, kForks = 40 };

static volatile int stop;
static char* inherited;

static void churn_once(unsigned seed) {
  char* p = malloc(140000 + seed % 7 * 50000);
  p[0] = 1;
  p = realloc(p, 300000 + seed % 5 * 200000);
  CHECK(p[0] == 1);
  free(p);
  free(calloc(1, 200000));
}

static void* churn(void* number) {
  for (unsigned i = (unsigned)(uintptr_t)number; !stop; i++) churn_once(i);
  return NULL;
}

static void handler(void) {
  churn_once(3);
}

__attribute__((constructor(101))) static void early(void) {
  pthread_atfork(handler, handler, handler);
}

static void child(void) {
  alarm(20);
  CHECK(inherited[0] == 42 && inherited[999999] == 43);
  free(inherited);
  for (unsigned i = 0; i < 10; i++) churn_once(i);
  _exit(0);
}

int main(void) {
  pthread_atfork(handler, handler, handler);
  inherited = malloc(1000000);
  inherited[0] = 42;
  inherited[999999] = 43;
  pthread_t thread[kThreads];
  for (uintptr_t i = 0; i < kThreads; i++) pthread_create(&thread[i], NULL, churn, (void*)i);
  for (int i = 0; i < kForks; i++) {
    pid_t pid = fork();
    if (pid == 0) child();
    int status = 0;
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  stop = 1;
  for (int i = 0; i < kThreads; i++) pthread_join(thread[i], NULL);
  CHECK(inherited[0] == 42);
  puts("ok forks");
}
