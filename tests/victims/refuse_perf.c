/* refuse_perf EPERM|EACCES|ENOSYS COMMAND...: runs COMMAND with perf_event_open refused in this
   way, as containers and sandboxes do. */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "victim.h"

static int number_of(const char* name) {
  return !strcmp(name, "EPERM") ? EPERM : !strcmp(name, "EACCES") ? EACCES : ENOSYS;
}

int main(int argc, char** argv) {
  require(argc > 2);
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | number_of(argv[1])),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  require(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  /* By number: the library takes a seccomp call as the program's wish to be left alone. */
  require(!syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
  execvp(argv[2], argv + 2);
  require(!"exec");
}
