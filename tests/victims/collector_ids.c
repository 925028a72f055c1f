/* Root becomes nobody: soon every thread of the process is, also those that libc does not know. */
#include <dirent.h>
#include <grp.h>
#include <unistd.h>

#include "victim.h"

/* The effective user of a thread, or -1 when it is gone. */
static int user_of(const char* tid) {
  char path[300], line[256];
  int user = -1;
  snprintf(path, sizeof path, "/proc/self/task/%s/status", tid);
  FILE* status = fopen(path, "r");
  while (status && fgets(line, sizeof line, status)) sscanf(line, "Uid: %*d %d", &user);
  if (status) fclose(status);
  return user;
}

static int others_left(void) {
  int left = 0;
  DIR* tasks = opendir("/proc/self/task");
  require(tasks);
  for (struct dirent* entry; (entry = readdir(tasks));)
    if (entry->d_name[0] != '.') left += user_of(entry->d_name) == 0;
  closedir(tasks);
  return left;
}

int main(void) {
  free(touched(kBig));
  require(!setgroups(0, 0) && !setgid(65534) && !setuid(65534));
  /* The collector looks at each snapshot of a program that runs. */
  for (int i = 0; i < 100000 && others_left(); i++) free(touched(kBig));
  require(!others_left());
  puts("ok collector_ids");
}
