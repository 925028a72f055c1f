/* Eight threads exchange big blocks through four slots: an address freed here is handed out there.
 */
#include <pthread.h>

#include "victim.h"

static void* volatile slots[4];

static void* exchange(void* seed) {
  unsigned state = (unsigned)(long)seed + 1;
  for (int i = 0; i < 3000; i++) {
    state = state * 1103515245 + 12345;
    char* mine = touched(kBig + (state >> 20) % 64 * 4096);
    free(__atomic_exchange_n(&slots[(state >> 8) & 3], mine, __ATOMIC_ACQ_REL));
  }
  return 0;
}

int main(void) {
  pthread_t threads[8];
  for (long i = 0; i < 8; i++) pthread_create(&threads[i], 0, exchange, (void*)i);
  for (int i = 0; i < 8; i++) pthread_join(threads[i], 0);
  for (int i = 0; i < 4; i++) free(slots[i]);
  puts("ok exchanged");
}
