/* Big blocks are freed and made in the destructors of thread-specific data, in every round. */
#include <pthread.h>

#include "victim.h"

static pthread_key_t keys[4];
static __thread int rounds;

static void destroy(void* block) {
  free(block);
  free(touched(kBig));
  if (++rounds < 12)
    for (int i = 0; i < 4; i++)
      if (!pthread_getspecific(keys[i])) {
        pthread_setspecific(keys[i], touched(kBig));
        break;
      }
}

static void* fill(void* unused) {
  for (int i = 0; i < 4; i++) pthread_setspecific(keys[i], touched(kBig));
  return unused;
}

int main(void) {
  for (int i = 0; i < 4; i++) pthread_key_create(&keys[i], destroy);
  for (int n = 0; n < 50; n++) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) require(!pthread_create(&threads[i], 0, fill, 0));
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  }
  puts("ok tsd_destructors");
}
