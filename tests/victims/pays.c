// Ways to pay for the same pages, to hold advice to what it predicts.
//
// pays again MIB N        N times malloc, every page written, free
// pays once MIB           one mapping, every page written
// pays read-first MIB     every page read, then written
// pays populate MIB       mapped with MAP_POPULATE, then every page written
// pays cleared MIB        malloc and memset, then one page in 16 written
// pays calloc MIB         calloc, then one page in 16 written
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { kPage = 4096 };
static unsigned long sum;

__attribute__((noinline)) static void write_pages(volatile char* block, size_t size) {
  for (size_t at = 0; at < size; at += kPage) block[at] = 1;
}

__attribute__((noinline)) static void read_pages(const volatile char* block, size_t size) {
  for (size_t at = 0; at < size; at += kPage) sum += (unsigned char)block[at];
}

__attribute__((noinline)) static char* map_block(size_t size, int flags) {
  char* block =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  if (block == MAP_FAILED) exit(3);
  return block;
}

__attribute__((noinline)) static char* cleared(size_t size) {
  return memset(malloc(size), 0, size);
}

static void write_some(volatile char* block, size_t size) {
  for (size_t at = 0; at < size; at += 16 * kPage) block[at] = 1;
}

__attribute__((noinline)) static void again(size_t size, int times) {
  for (int i = 0; i < times; ++i) {
    char* block = malloc(size);
    write_pages(block, size);
    sum += (unsigned char)block[size - kPage];
    free(block);
  }
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  size_t size = strtoul(argv[2], NULL, 10) << 20;
  if (!strcmp(argv[1], "again")) {
    again(size, argc > 3 ? atoi(argv[3]) : 1);
  } else if (!strcmp(argv[1], "cleared") || !strcmp(argv[1], "calloc")) {
    char* block = argv[1][1] == 'l' ? cleared(size) : calloc(1, size);
    write_some(block, size);
    sum += (unsigned char)block[0];
  } else {
    char* block = map_block(size, strcmp(argv[1], "populate") ? 0 : MAP_POPULATE);
    if (!strcmp(argv[1], "read-first")) read_pages(block, size);
    write_pages(block, size);
    sum += (unsigned char)block[0];
  }
  printf("ok pays %d\n", sum != 0);
  return 0;
}
