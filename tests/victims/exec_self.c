/* Execs itself three times in the same process, by different calls, with blocks each time. */
#define _GNU_SOURCE
#include <unistd.h>

#include "victim.h"

int main(int argc, char** argv) {
  int round = argc > 1 ? atoi(argv[1]) : 0;
  for (int i = 0; i <= round; i++) memset(touched(kBig), 1, kBig);
  char next[8];
  snprintf(next, sizeof next, "%d", round + 1);
  char* words[] = {argv[0], next, 0};
  extern char** environ;
  if (round == 0) execl(argv[0], argv[0], next, (char*)0);
  if (round == 1) execv(argv[0], words);
  if (round == 2) execvpe(argv[0], words, environ);
  require(round == 3);
  puts("ok exec_self");
}
