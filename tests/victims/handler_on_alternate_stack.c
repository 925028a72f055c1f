/* A stack overflow is handled on a small alternate stack, whose handler allocates a big block. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "victim.h"

static void handle(int number) {
  (void)number;
  void* range = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (range == MAP_FAILED) _exit(7);
  if (write(1, "ok handler_on_alternate_stack\n", 30) != 30) _exit(8);
  _exit(0);
}

static int overflow(int depth) {
  volatile char frame[4096];
  frame[0] = (char)depth;
  return overflow(depth + 1) + frame[0];
}

int main(void) {
  free(touched(kBig));
  static char stack[16384];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  require(!sigaltstack(&alternate, 0));
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
  sigaction(SIGSEGV, &action, 0);
  return overflow(1);
}
