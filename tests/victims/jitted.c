// Touches a block by code made at run time, and names that code as JIT compilers do, in
// /tmp/perf-PID.map: every first touch is "jitted_store"'s.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
#if defined(__x86_64__)
  static const unsigned char code[] = {0xc6, 0x07, 0x01, 0xc3};  // movb $1,(%rdi); ret
#elif defined(__aarch64__)
  static const unsigned code[] = {0x52800021, 0x39000001, 0xd65f03c0};  // mov w1,#1; strb; ret
#endif
  enum { kPages = 256 };
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char* text = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char* block = malloc(kPages * page);
  if (text == MAP_FAILED || block == NULL) return 1;
  memcpy(text, code, sizeof code);
  if (mprotect(text, page, PROT_READ | PROT_EXEC) != 0) return 1;
  __builtin___clear_cache(text, text + sizeof code);

  char path[64];
  snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
  FILE* map = fopen(path, "w");
  if (map == NULL) return 1;
  fprintf(map, "%lx %zx jitted_store /app.js:7\n", (unsigned long)text, sizeof code);
  fclose(map);

  void (*store)(char*);
  memcpy(&store, &text, sizeof store);
  for (size_t i = 0; i < kPages; ++i) store(block + i * page + page / 2);
  puts("ok jitted");
  return block[page + page / 2] != 1;
}
