/* daemonize FILE: double fork, setsid, every descriptor closed and the numbers reused, then blocks;
 * what the daemon itself writes into FILE must be all that is in it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

static void daemon_body(const char* path) {
  for (int fd = 0; fd < 1024; fd++) close(fd);
  int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  for (int fd = file + 1; fd < 64; fd++) dup2(file, fd);
  for (int i = 0; i < 2000; i++) free(touched(kBig));
  require(write(file, "done\n", 5) == 5);
  _exit(0);
}

int main(int argc, char** argv) {
  require(argc == 2);
  free(touched(kBig));
  pid_t pid = fork();
  if (pid == 0) {
    setsid();
    pid = fork();
    if (pid == 0) daemon_body(argv[1]);
    int status;
    waitpid(pid, &status, 0);
    _exit(status != 0);
  }
  int status;
  require(waitpid(pid, &status, 0) == pid && status == 0);
  struct stat file;
  require(stat(argv[1], &file) == 0 && file.st_size == 5);
  puts("ok daemonize");
}
