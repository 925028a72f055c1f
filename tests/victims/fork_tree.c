/* A parent, three children and a grandchild each; generation g makes 10 + g blocks of its own size,
 * all touched, and ends by exit or by _exit. Blocks of the parent are freed in the child too. */
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

static char* inherited[10];

__attribute__((noinline)) static void make_blocks(int generation) {
  for (int i = 0; i < 10 + generation; i++) memset(touched(kBig + generation * 65536), 1, kBig);
}

static void wait_for(pid_t pid) {
  int status;
  require(waitpid(pid, &status, 0) == pid && status == 0);
}

static void child(int number) {
  for (int i = 0; i < 10; i++) free(inherited[i]);
  make_blocks(1);
  pid_t pid = fork();
  if (pid == 0) {
    make_blocks(2);
    exit(0);
  }
  wait_for(pid);
  if (number & 1) _exit(0);
  exit(0);
}

int main(void) {
  for (int i = 0; i < 10; i++) inherited[i] = touched(kBig);
  for (int i = 0; i < 3; i++) {
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) child(i);
    wait_for(pid);
  }
  make_blocks(0);
  puts("ok fork_tree");
}
