/* vfork and exec, posix_spawn and system while other threads allocate. */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

extern char** environ;
static volatile int stop;

static void* allocate(void* unused) {
  while (!stop) free(touched(kBig));
  return unused;
}

static void wait_for(pid_t pid) {
  int status;
  require(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, allocate, 0);
  char* words[] = {(char*)"true", 0};
  for (int i = 0; i < 20; i++) {
    pid_t pid = vfork();
    if (pid == 0) {
      execv("/bin/true", words);
      _exit(9);
    }
    wait_for(pid);
    pid = vfork();
    if (pid == 0) _exit(0);
    wait_for(pid);
    require(!posix_spawn(&pid, "/bin/true", 0, 0, words, environ));
    wait_for(pid);
    require(system("exit 3") == 3 << 8);
  }
  char* still = touched(kBig);
  stop = 1;
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  free(still);
  puts("ok spawn");
}
