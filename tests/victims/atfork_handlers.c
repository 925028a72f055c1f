/* Fork handlers of the program, registered before and after the library's, allocate and free. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

static char* held[20];

static void prepare(void) {
  free(touched(kBig));
}
static void in_parent(void) {
  free(touched(kBig + 4096));
}
static void in_child(void) {
  for (int i = 0; i < 10; i++) {
    free(held[i]);
    held[i] = touched(kBig);
  }
}

__attribute__((constructor(101))) static void early(void) {
  pthread_atfork(prepare, in_parent, in_child);
}

int main(void) {
  alarm(60);
  for (int i = 0; i < 20; i++) held[i] = touched(kBig);
  pthread_atfork(prepare, in_parent, in_child);
  for (int i = 0; i < 40; i++) {
    pid_t pid = fork();
    if (pid == 0) {
      for (int k = 0; k < 20; k++) free(held[k]);
      _exit(0);
    }
    int status;
    require(waitpid(pid, &status, 0) == pid && status == 0);
  }
  puts("ok atfork_handlers");
}
