/* A library that allocates under libc's locale lock before anything else did: with -DLIBRARY its
 * constructor, else the program, which then needs that lock. */
#define _GNU_SOURCE
#include <locale.h>

#include "victim.h"

#ifdef LIBRARY
locale_t early_locale;
__attribute__((constructor)) static void make(void) {
  early_locale = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
}
#else
extern locale_t early_locale;
int main(void) {
  require(early_locale);
  require(setlocale(LC_ALL, "C"));
  freelocale(early_locale);
  puts("ok locale_in_constructor");
}
#endif
