/* Generated code without unwind information and with a useless frame pointer asks for blocks. */
#include <sys/mman.h>

#include "victim.h"

int main(void) {
#if defined(__x86_64__)
  /* push rbp; sub rsp,64; mov rbp,0x7fffffff; mov rax,malloc; call rax; add rsp,64; pop rbp; ret */
  unsigned char code[] = {0x55, 0x48, 0x83, 0xec, 0x40, 0x48, 0xc7, 0xc5, 0xff, 0xff,
                          0xff, 0x7f, 0x48, 0xb8, 0,    0,    0,    0,    0,    0,
                          0,    0,    0xff, 0xd0, 0x48, 0x83, 0xc4, 0x40, 0x5d, 0xc3};
  void* (*target)(size_t) = malloc;
  memcpy(code + 14, &target, sizeof target);
  char* page =
      mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(page, code, sizeof code);
  void* (*generated)(size_t) = (void* (*)(size_t))page;
  for (int i = 0; i < 2000; i++) {
    char* volatile block = generated(kBig);
    block[0] = 1;
    free(block);
  }
#endif
  puts("ok no_unwind_info");
}
