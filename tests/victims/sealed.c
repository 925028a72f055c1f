/* After the first blocks the program allows itself only what glibc's malloc, write and exit need;
 * any other system call kills it. */
#define _GNU_SOURCE
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "victim.h"

#define ALLOW(number) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static void seal(int by_syscall) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      ALLOW(SYS_write),
      ALLOW(SYS_brk),
      ALLOW(SYS_mmap),
      ALLOW(SYS_munmap),
      ALLOW(SYS_mremap),
      ALLOW(SYS_mprotect),
      ALLOW(SYS_madvise),
      ALLOW(SYS_futex),
      ALLOW(SYS_exit),
      ALLOW(SYS_exit_group),
      ALLOW(SYS_getrandom),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  require(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  if (by_syscall)
    require(!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
  else
    require(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

int main(int argc, char** argv) {
  int before = argc > 1 && !strcmp(argv[1], "before");
  if (!before) free(touched(kBig));
  seal(argc > 2);
  for (int i = 0; i < 2000; i++) free(touched(kBig + i % 5 * 4096));
  for (int i = 0; i < 20000; i++) free(malloc(i % 5000));
  if (write(1, "ok sealed\n", 10) != 10) _exit(1);
  _exit(0);
}
