/* Main touches a block, then threads one after the other, each called as an argument says. */
#define _GNU_SOURCE
#include <pthread.h>

#include "victim.h"

static void* touch(void* name) {
  require(!pthread_setname_np(pthread_self(), name));
  char* block = malloc(kBig);
  require(block);
  memset(block, 1, kBig);
  return block;
}

int main(int argc, char** argv) {
  touched(kBig);
  for (int i = 1; i < argc; i++) {
    pthread_t thread;
    require(!pthread_create(&thread, 0, touch, argv[i]) && !pthread_join(thread, 0));
  }
  puts("ok named_threads");
}
