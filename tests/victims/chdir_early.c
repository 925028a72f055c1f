/* Changes directory in an early constructor and again later; no trace may appear in either place.
 */
#include <unistd.h>

#include "victim.h"

__attribute__((constructor(101))) static void early(void) {
  require(!chdir("/"));
}

int main(void) {
  free(touched(kBig));
  require(!chdir("/usr"));
  for (int i = 0; i < 100; i++) free(touched(kBig));
  puts("ok chdir_early");
}
