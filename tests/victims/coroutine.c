/* Big blocks are made on a coroutine's 24 KiB stack, with junk below the entry frame. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <ucontext.h>

#include "victim.h"

enum { kStack = 24 * 1024 };
static ucontext_t outside, inside;

__attribute__((noinline)) static void descend(int depth) {
  if (depth) {
    descend(depth - 1);
    __asm__ volatile("");
    return;
  }
  free(touched(kBig));
}

static void body(void) {
  for (int i = 0; i < 200; i++) {
    descend(i % 20);
    swapcontext(&inside, &outside);
  }
}

int main(void) {
  char* stack = mmap(0, kStack + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(stack + 4096, kStack, PROT_READ | PROT_WRITE);
  memset(stack + 4096, 0xAB, kStack);
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack + 4096;
  inside.uc_stack.ss_size = kStack;
  inside.uc_link = &outside;
  makecontext(&inside, body, 0);
  for (int i = 0; i < 200; i++) swapcontext(&outside, &inside);
  puts("ok coroutine");
}
