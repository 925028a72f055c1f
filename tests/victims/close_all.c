/* Closes every descriptor after the trace has begun, takes the numbers over, and allocates on. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "victim.h"

int main(void) {
  for (int i = 0; i < 50; i++) free(touched(kBig));
  int out = dup2(1, 900);
  syscall(SYS_close_range, 3u, 899u, 0);
  syscall(SYS_close_range, 901u, ~0u, 0);
  close(0), close(1), close(2);
  int own = memfd_create("own", 0);
  for (int fd = own + 1; fd < 256; fd++) dup2(own, fd);
  for (int i = 0; i < 5000; i++) free(touched(kBig + i % 7 * 4096));
  struct stat file;
  require(fstat(own, &file) == 0);
  dprintf(out, file.st_size ? "not ok: %ld foreign bytes\n" : "ok close_all\n", (long)file.st_size);
  return file.st_size != 0;
}
