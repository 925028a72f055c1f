/* The lowest free descriptor numbers are what they would be without the library. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "victim.h"

static int open_descriptors(void) {
  DIR* folder = opendir("/proc/self/fd");
  require(folder);
  int count = 0;
  while (readdir(folder)) count++;
  closedir(folder);
  return count;
}

int main(void) {
  int before = open_descriptors(), lowest = dup(1);
  close(lowest);
  for (int i = 0; i < 200; i++) touched(kBig);
  int again = dup(1);
  require(again == lowest);
  close(again);
  require(open_descriptors() == before);
  puts("ok descriptors");
}
