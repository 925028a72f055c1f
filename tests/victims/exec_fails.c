/* An exec that fails: the program goes on, and so must whatever was ended for it. */
#include <unistd.h>

#include "victim.h"

int main(void) {
  char* arguments[] = {"nothing", NULL};
  free(touched(kBig));
  for (int i = 0; i < 3; i++) {
    errno = 0;
    require(execv("/nonexistent/nothing", arguments) == -1 && errno == ENOENT);
    require(execlp("/nonexistent/nothing", "nothing", "with", "arguments", NULL) == -1);
    free(touched(kBig));
  }
  puts("ok exec_fails");
}
