/* held MIB: touches the pages of a block when a line comes, and ends at the next one. For a test
 * that holds the collector meanwhile. */
#include "victim.h"

enum { kPage = 4096 };

static void wait_for_line(void) {
  int c;
  while ((c = getchar()) != '\n') require(c != EOF);
}

int main(int argc, char** argv) {
  size_t size = (size_t)(argc > 1 ? atoi(argv[1]) : 1) << 20;
  volatile char* block = malloc(size);
  require(block);
  printf("ok held %zu\n", size / kPage);
  fflush(stdout);
  wait_for_line();
  for (size_t at = 0; at < size; at += kPage) block[at] = 1;
  puts("touched");
  fflush(stdout);
  wait_for_line();
  return 0;
}
