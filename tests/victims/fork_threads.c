/* Forks a hundred times while four threads allocate; every child allocates too, under an alarm. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

static volatile int stop;

static void* allocate(void* unused) {
  while (!stop) {
    free(touched(kBig));
    free(malloc(100));
  }
  return unused;
}

static void child(void) {
  alarm(10);
  for (int i = 0; i < 20; i++) free(touched(kBig + i * 4096));
  _exit(0);
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, allocate, 0);
  for (int i = 0; i < 100; i++) {
    pid_t pid = fork();
    if (pid == 0) child();
    int status;
    require(waitpid(pid, &status, 0) == pid && status == 0);
  }
  stop = 1;
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  puts("ok fork_threads");
}
