/* Two thousand short threads, one big block each, some asking for their own attributes first. */
#define _GNU_SOURCE
#include <pthread.h>

#include "victim.h"

static void* allocate(void* number) {
  pthread_attr_t attributes;
  if ((long)number % 2 && !pthread_getattr_np(pthread_self(), &attributes))
    pthread_attr_destroy(&attributes);
  free(touched(kBig));
  return 0;
}

int main(void) {
  for (long n = 0; n < 250; n++) {
    pthread_t threads[8];
    for (long i = 0; i < 8; i++) require(!pthread_create(&threads[i], 0, allocate, (void*)(n + i)));
    for (int i = 0; i < 8; i++) pthread_join(threads[i], 0);
  }
  puts("ok many_threads");
}
