/* A profiling timer's handler maps and unmaps a big range while every thread allocates: it will
 * interrupt the library inside its own hooks. errno must survive, and system calls restart. */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "victim.h"

static volatile int handled;

static void handle(int number) {
  (void)number;
  int saved = errno;
  char* range = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (range == MAP_FAILED) _exit(7);
  range[5000] = 1;
  munmap(range, 1 << 20);
  handled++;
  errno = saved;
}

static void* allocate(void* unused) {
  while (handled < 400) {
    errno = 77;
    char* block = touched(kBig);
    block = realloc(block, 2 * kBig);
    free(block);
    require(errno == 77);
  }
  return unused;
}

int main(void) {
  alarm(100);
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
  sigaction(SIGPROF, &action, 0);
  struct itimerval every = {{0, 500}, {0, 500}};
  setitimer(ITIMER_PROF, &every, 0);
  pthread_t thread;
  pthread_create(&thread, 0, allocate, 0);
  allocate(0);
  pthread_join(thread, 0);
  puts("ok signal_storm");
}
