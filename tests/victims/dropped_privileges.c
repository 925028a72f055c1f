/* Root becomes nobody with threads about, gives up being dumpable, changes directory, allocates
 * from old and new threads; no thread of the process may keep root's identity. */
#define _GNU_SOURCE
#include <dirent.h>
#include <grp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "victim.h"

enum { kNobody = 65534 };

static void* allocate(void* unused) {
  for (int i = 0; i < 200; i++) free(touched(kBig));
  return unused;
}

static void run_thread(void) {
  pthread_t thread;
  require(!pthread_create(&thread, 0, allocate, 0));
  pthread_join(thread, 0);
}

/* True when every thread's status has no uid but nobody's. */
static int all_threads_dropped(void) {
  DIR* tasks = opendir("/proc/self/task");
  int dropped = 1;
  for (struct dirent* entry; tasks && (entry = readdir(tasks));) {
    char path[300], line[200];
    snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
    FILE* status = entry->d_name[0] == '.' ? 0 : fopen(path, "r");
    while (status && fgets(line, sizeof line, status)) {
      int real, effective;
      if (sscanf(line, "Uid: %d %d", &real, &effective) == 2 &&
          (real != kNobody || effective != kNobody))
        dropped = 0;
    }
    if (status) fclose(status);
  }
  if (tasks) closedir(tasks);
  return dropped;
}

int main(void) {
  allocate(0);
  run_thread();
  require(getuid() == 0 && !setgroups(0, 0) && !setgid(kNobody) && !setuid(kNobody));
  /* The library's own thread follows within its next look; the deadline is generous. */
  time_t deadline = time(0) + 20;
  while (!all_threads_dropped()) require(time(0) < deadline);
  prctl(PR_SET_DUMPABLE, 0);
  require(!chdir("/"));
  allocate(0);
  for (int i = 0; i < 10; i++) run_thread();
  puts("ok dropped_privileges");
}
