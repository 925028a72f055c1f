/* low_limits NAME: allocates under a limit that is next to nothing: nofile, fsize, as, memlock, stack.
 */
#include <signal.h>
#include <sys/resource.h>

#include "victim.h"

static void limit(int resource, rlim_t value) {
  struct rlimit both = {value, value};
  require(!setrlimit(resource, &both));
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  if (!strcmp(name, "nofile")) limit(RLIMIT_NOFILE, 3);
  if (!strcmp(name, "fsize")) limit(RLIMIT_FSIZE, 4096);
  if (!strcmp(name, "as")) limit(RLIMIT_AS, 64 << 20);
  if (!strcmp(name, "memlock")) limit(RLIMIT_MEMLOCK, 0);
  if (!strcmp(name, "nproc")) limit(RLIMIT_NPROC, 1);
  for (int i = 0; i < 500; i++) free(touched(kBig));
  if (!strcmp(name, "as")) {
    errno = 0;
    require(!malloc(128 << 20) && errno == ENOMEM);
  }
  printf("ok low_limits %s\n", name);
}
