#include "preload/names.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>

#include "preload/state.h"
#include "preload/sys.h"
#include "preload/text.h"

namespace ftprof {
namespace {

constinit char g_program_path[4096]{};

const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

// By the name it was started under ("python3", not "python3.11"); by the file where that name says
// nothing (fexecve, /proc/self/exe).
const char* started_as() {
  auto name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (name == nullptr || strncmp(name, "/dev/fd/", 8) == 0 || strncmp(name, "/proc/", 6) == 0 ||
      *base_name(name) == 0)
    name = g_program_path;
  return *name == 0 ? "program" : base_name(name);
}

void find_program() {
  long length =
      sys::readlink_at(AT_FDCWD, "/proc/self/exe", g_program_path, sizeof g_program_path - 1);
  if (length > 0) {
    g_program_path[length] = 0;
    return;
  }
  auto name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (name != nullptr) strncpy(g_program_path, name, sizeof g_program_path - 1);
}

void find_exe_name() {
  size_t i = 0;
  for (const char* c = started_as(); *c != 0 && i + 1 < sizeof g_state.exe; ++c)
    g_state.exe[i++] = static_cast<unsigned char>(*c) < 32 || *c == 127 ? '_' : *c;
  g_state.exe[i] = 0;
}

template <size_t kSize>
void copy(const Text<kSize>& from, char (&to)[kSize]) {
  memcpy(to, from.c_str(), from.size() + 1);
}

}  // namespace

const char* program_path() {
  return g_program_path;
}

void find_names(const char* output) {
  find_program();
  find_exe_name();
  const char* wanted =
      output != nullptr && *output != 0 ? output : g_state.settings.output_dir.text;
  Text<sizeof g_state.run_dir> path;
  if (*wanted != '/') {
    char here[768];
    // The system call's result counts the NUL; without a working directory the root serves.
    if (sys::call(SYS_getcwd, sys::as_long(here), sizeof here) <= 0 || here[0] != '/') here[0] = 0;
    path.add(here).add('/');
  }
  if (*wanted != 0)
    path.add(wanted);
  else
    path.add("ftprof.").add(g_state.exe).add('.').add_number(static_cast<uint64_t>(g_state.pid));
  copy(path, g_state.run_dir);
}

int make_folders() {
  long made = sys::mkdir_at(AT_FDCWD, g_state.run_dir, 0700);
  if (sys::failed(made) && made != -EEXIST) return static_cast<int>(made);
  int run = sys::open_at(AT_FDCWD, g_state.run_dir, O_DIRECTORY | O_NOFOLLOW | O_PATH);
  if (run < 0) return run;
  int image = -EEXIST;
  for (unsigned generation = 1; generation < 1000 && image == -EEXIST; ++generation) {
    Text<96> name;
    name.add(g_state.exe).add('.').add_number(static_cast<uint64_t>(g_state.pid));
    if (generation > 1) name.add('.').add_number(generation);
    image = static_cast<int>(sys::mkdir_at(run, name.c_str(), 0700));
    if (image != 0) continue;
    Text<sizeof g_state.image_dir> path;
    path.add(g_state.run_dir).add('/').add(name.c_str());
    copy(path, g_state.image_dir);
    image = sys::open_at(run, name.c_str(), O_DIRECTORY | O_NOFOLLOW | O_PATH);
    break;
  }
  sys::close(run);
  return image;
}

void remove_folder(int image) {
  for (const char* name : {"metadata", "blocks_0", "blocks_1"}) sys::unlink_at(image, name, 0);
  sys::unlink_at(AT_FDCWD, g_state.image_dir, AT_REMOVEDIR);
}

size_t read_file(const char* path, char* to, size_t capacity) {
  int fd = sys::open_at(AT_FDCWD, path, O_RDONLY);
  size_t size = 0;
  while (fd >= 0 && size + 1 < capacity) {
    long got = sys::read(fd, to + size, capacity - 1 - size);
    if (got <= 0) break;
    size += static_cast<size_t>(got);
  }
  if (fd >= 0) sys::close(fd);
  to[size] = 0;
  return size;
}

}  // namespace ftprof
