#include "preload/scope.h"

#include <dlfcn.h>

#include "preload/hooks.h"
#include "preload/message.h"
#include "preload/names.h"
#include "preload/object.h"

namespace ftprof {
namespace {

// The object whose malloc the program calls; null when that is ours.
constinit const char* g_in_front = nullptr;

constexpr const char* kAdvice =
    ", which comes before libftprof.so: its blocks are not seen, only mappings and faults are. Put "
    "libftprof.so first in LD_PRELOAD if that is a preloaded library";

}  // namespace

void find_scope() {
  void* seen = dlsym(RTLD_DEFAULT, "malloc");
  Object ours, theirs;
  if (seen == nullptr || !find_object(reinterpret_cast<uintptr_t>(&find_scope), &ours) ||
      !find_object(reinterpret_cast<uintptr_t>(seen), &theirs) || theirs.begin == ours.begin)
    return;
  g_in_front = *theirs.map->l_name == 0 ? program_path() : theirs.map->l_name;
  static constinit std::atomic<bool> said{false};
  say(Level::warn, &said, "malloc is that of ", g_in_front, kAdvice);
}

void write_scope_notes() {
  if (g_in_front != nullptr) note("malloc is that of ", g_in_front, kAdvice);
}

}  // namespace ftprof
