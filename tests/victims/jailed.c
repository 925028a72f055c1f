/* jailed DIR: chroot into an empty folder before (with a second word) or after the first block. */
#define _GNU_SOURCE
#include <unistd.h>

#include "victim.h"

int main(int argc, char** argv) {
  if (argc < 3) free(touched(kBig));
  require(argc > 1 && !chroot(argv[1]) && !chdir("/"));
  for (int i = 0; i < 500; i++) memset(touched(kBig), 1, kBig);
  puts("ok jailed");
}
