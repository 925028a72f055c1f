// Stands in for libftprof.so where only the way it is started matters (tests/analyzer/test_run.py):
// notes its environment in $FAKE_LOG and, when $FAKE_TRACE is set, leaves an image in the folder.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char* program_invocation_short_name;

static const char* value_of(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

static void leave_image(const char* folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.%d", folder, program_invocation_short_name, getpid());
  mkdir(folder, 0700);
  mkdir(path, 0700);
  strcat(path, "/metadata");
  int file = open(path, O_WRONLY | O_CREAT, 0600);
  if (file >= 0) close(file);
}

__attribute__((constructor)) static void started(void) {
  FILE* log = fopen(value_of("FAKE_LOG"), "a");
  if (log) {
    fprintf(log, "%d %s\npreload=%s\noutput=%s\noptions=%s\n", getpid(),
            program_invocation_short_name, value_of("LD_PRELOAD"), value_of("FTPROF_OUTPUT"),
            value_of("FTPROF_OPTIONS"));
    fclose(log);
  }
  if (getenv("FAKE_TRACE")) leave_image(value_of("FTPROF_OUTPUT"));
}
