// Eight threads replace blocks of random size in shared slots, so that most blocks are freed by
// another thread than the one that asked; every block carries a pattern that is checked before it
// goes. A block handed to two owners, or cleared or cut while owned, shows at once.
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>

#include "check.h"

enum { kThreads = 8, kSlots = 64, kRounds = 1500 };

static unsigned char* slot[kSlots];

static uint64_t next_random(uint64_t* state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static size_t random_size(uint64_t r) {
  return (r % 3 == 0 ? 64 + (r >> 8) % 4000 : 100000 + (r >> 8) % 900000) & ~(size_t)7;
}

// Sizes are multiples of 8. A label is the size and a seed; the seed stands again in every page and
// at the end.
struct Label {
  uint64_t size, seed;
};

static void label(unsigned char* p, size_t size, uint64_t seed) {
  struct Label mark = {size, seed};
  memcpy(p, &mark, sizeof mark);
  for (size_t i = 4096; i + 8 <= size; i += 4096) memcpy(p + i, &seed, 8);
  memcpy(p + size - 8, &seed, 8);
}

static void check_label(const unsigned char* p) {
  struct Label mark;
  memcpy(&mark, p, sizeof mark);
  CHECK(mark.size <= malloc_usable_size((void*)p));
  for (size_t i = 4096; i + 8 <= mark.size; i += 4096) CHECK(!memcmp(p + i, &mark.seed, 8));
  CHECK(!memcmp(p + mark.size - 8, &mark.seed, 8));
}

static unsigned char* make(uint64_t* state) {
  uint64_t r = next_random(state);
  size_t size = random_size(r);
  unsigned char* p = NULL;
  switch (r >> 60) {
    case 0:
      p = calloc(1, size);
      CHECK(p && is_zero(p, size));
      break;
    case 1:
      CHECK(posix_memalign((void**)&p, 65536, size) == 0 && (uintptr_t)p % 65536 == 0);
      break;
    default:
      p = malloc(size);
  }
  CHECK(p);
  label(p, size, r);
  return p;
}

// Keeps its label's bytes over a realloc, then is labelled anew.
static unsigned char* regrow(unsigned char* p, uint64_t* state) {
  uint64_t r = next_random(state);
  struct Label before, after;
  memcpy(&before, p, sizeof before);
  size_t size = random_size(r);
  p = realloc(p, size);
  CHECK(p);
  memcpy(&after, p, sizeof after);
  CHECK(!memcmp(&before, &after, sizeof before));
  label(p, size, r);
  return p;
}

static void* work(void* number) {
  uint64_t state = (uintptr_t)number + 1;
  for (int i = 0; i < kRounds; i++) {
    unsigned char* mine = make(&state);
    if (next_random(&state) % 4 == 0) mine = regrow(mine, &state);
    unsigned char* old =
        __atomic_exchange_n(&slot[next_random(&state) % kSlots], mine, __ATOMIC_ACQ_REL);
    if (old) check_label(old);
    free(old);
  }
  return NULL;
}

int main(void) {
  pthread_t thread[kThreads];
  for (uintptr_t i = 0; i < kThreads; i++) pthread_create(&thread[i], NULL, work, (void*)i);
  for (int i = 0; i < kThreads; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < kSlots; i++) {
    if (slot[i]) check_label(slot[i]);
    free(slot[i]);
  }
  puts("ok threads");
}
