#include "preload/environment.h"

#include <string.h>
#include <unistd.h>

#include "preload/sys.h"
#include "preload/text.h"

namespace ftprof {

const char* find_in_environment(const char* name) {
  size_t length = strlen(name);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') return *entry + length + 1;
  return nullptr;
}

bool environment_is_there() {
  return environ != nullptr;
}

void add_output_to_environment(const char* run_dir) {
  static Text<1100> assignment;
  assignment.clear();
  assignment.add("FTPROF_OUTPUT=").add(run_dir);
  size_t count = 0;
  while (environ != nullptr && environ[count] != nullptr) ++count;
  // Never freed: it is the environment from now on. libc copies it when the program adds to it.
  auto entries = static_cast<char**>(sys::map_private((count + 2) * sizeof(char*)));
  if (entries == nullptr) return;
  if (count > 0) memcpy(entries, environ, count * sizeof(char*));
  entries[count] = const_cast<char*>(assignment.c_str());
  environ = entries;
}

}  // namespace ftprof
