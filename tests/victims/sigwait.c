/* Signals meant for the process reach its own thread, although the library's exists already. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "victim.h"

int main(void) {
  alarm(60);
  free(touched(kBig));
  int kinds[] = {SIGTERM, SIGUSR1, SIGUSR2, SIGHUP};
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < 4; i++) sigaddset(&set, kinds[i]);
  pthread_sigmask(SIG_BLOCK, &set, 0);
  for (int i = 0; i < 2000; i++) {
    int got;
    kill(getpid(), kinds[i & 3]);
    require(!sigwait(&set, &got) && got == kinds[i & 3]);
    if (i % 10 == 0) free(touched(kBig));
  }
  puts("ok sigwait");
}
