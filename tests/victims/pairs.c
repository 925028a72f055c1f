/* Nothing but malloc and free of large blocks: above any budget. */
#include "victim.h"

int main(int argc, char** argv) {
  long pairs = argc > 1 ? atol(argv[1]) : 1000000;
  for (long i = 0; i < pairs; i++) {
    char* volatile block = malloc(kBig);
    block[0] = 1;
    free(block);
  }
  printf("%ld\nok pairs\n", pairs);
}
