/* realloc in every form; what each did to the tracked blocks is in the test. */
#include <stdint.h>

#include "victim.h"

enum { M = 1 << 20 };

int main(void) {
  volatile size_t impossible = SIZE_MAX / 2;
  char* block = realloc(NULL, M); /* an allocation */
  require(block);
  memset(block, 1, M);
  block = realloc(block, 3 * M); /* grows */
  require(block && block[M - 1] == 1);
  errno = 0;
  require(!realloc(block, impossible)); /* fails, the block stays */
  require(errno == ENOMEM && block[M - 1] == 1);
  block = realloc(block, 2 * M); /* shrinks */
  require(block && block[M - 1] == 1);
  block = realloc(block, 100); /* becomes too small to be tracked */
  require(block && block[99] == 1);
  block = realloc(block, 4 * M); /* and large again */
  require(block && block[99] == 1);
  char* none = realloc(block, 0); /* frees */
  free(none);
  require(!reallocarray(NULL, impossible, 4));
  block = reallocarray(NULL, 5, M);
  require(block);
  free(block);
  puts("ok reallocs");
}
