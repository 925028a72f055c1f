/* Threads are cancelled in the middle of allocating; none of the hooks may be a cancellation point.
 */
#include <pthread.h>
#include <unistd.h>

#include "victim.h"

static void* allocate(void* unused) {
  for (;;) {
    free(touched(kBig));
    pthread_testcancel();
  }
  return unused;
}

int main(void) {
  alarm(60);
  for (int i = 0; i < 100; i++) {
    pthread_t thread;
    void* result;
    require(!pthread_create(&thread, 0, allocate, 0));
    require(!pthread_cancel(thread));
    require(!pthread_join(thread, &result) && result == PTHREAD_CANCELED);
  }
  free(touched(kBig));
  puts("ok cancelled");
}
