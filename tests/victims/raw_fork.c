/* Children made by the clone system call: no fork handler of anybody runs. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

int main(void) {
  char* held = touched(kBig);
  for (int i = 0; i < 20; i++) {
    long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
      alarm(10);
      free(held);
      for (int k = 0; k < 20; k++) free(touched(kBig + k * 4096));
      _exit(0);
    }
    int status;
    require(waitpid(pid, &status, 0) == pid && status == 0);
  }
  free(held);
  puts("ok raw_fork");
}
