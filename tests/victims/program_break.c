/* Moves the program break itself, as old allocators do: up, further up, down, and up again. */
#include <unistd.h>

#include "victim.h"

enum { kMib = 1 << 20 };

static char* grown_by(long bytes) {
  char* begin = sbrk(bytes);
  require(begin != (void*)-1);
  memset(begin, 1, bytes);
  return begin;
}

int main(void) {
  char* first = grown_by(1 * kMib);
  char* second = grown_by(2 * kMib);
  require(second == first + kMib);
  require(brk(second) == 0 && sbrk(0) == second);
  require(grown_by(3 * kMib) == second && second[0] == 1);
  errno = 0;
  require(sbrk(1L << 60) == (void*)-1 && errno == ENOMEM);
  require(sbrk(-3 * kMib) == second + 3 * kMib && sbrk(0) == second);
  puts("ok program_break");
  return 0;
}
