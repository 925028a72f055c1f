/* unshare of what wants a single thread works as it does without the library. */
#define _GNU_SOURCE
#include <sched.h>
#include <unistd.h>

#include "victim.h"

int main(void) {
  free(touched(kBig));
  errno = 0;
  int result = unshare(CLONE_NEWUSER), error = errno;
  printf("%d %d\n", result, error);
  require(!unshare(CLONE_FS | CLONE_FILES));
  for (int i = 0; i < 100; i++) memset(touched(kBig), 1, kBig);
  puts("ok namespaces");
}
