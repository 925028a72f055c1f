/* endings HOW: touches twenty big blocks, then ends by exit, _exit, quick_exit, abort, SIGKILL,
 * SIGTERM, SIGSEGV, a second thread's exit, a last pthread_exit, or exec of another program. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "victim.h"

static char* kept[20];

static void* exit_from_thread(void* main_thread) {
  pthread_join(*(pthread_t*)main_thread, 0);
  exit(0);
}
static void* return_from_thread(void* main_thread) {
  pthread_join(*(pthread_t*)main_thread, 0);
  return 0;
}

static void leave_main(void* (*other)(void*)) {
  static pthread_t self;
  self = pthread_self();
  pthread_t thread;
  require(!pthread_create(&thread, 0, other, &self));
  pthread_exit(0);
}

__attribute__((noinline)) static void make_blocks(void) {
  for (int i = 0; i < 20; i++) memset(kept[i] = touched(kBig), 1, kBig);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "exit";
  make_blocks();
  puts("ok endings");
  fflush(stdout);
  if (!strcmp(how, "_exit")) _exit(0);
  if (!strcmp(how, "_Exit")) _Exit(0);
  if (!strcmp(how, "quick_exit")) quick_exit(0);
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "kill")) raise(SIGKILL);
  if (!strcmp(how, "term")) raise(SIGTERM);
  if (!strcmp(how, "segv")) raise(SIGSEGV);
  if (!strcmp(how, "thread")) leave_main(exit_from_thread);
  if (!strcmp(how, "last_thread")) leave_main(return_from_thread);
  if (!strcmp(how, "exec")) execl("/bin/true", "true", (char*)0);
  return 0;
}
