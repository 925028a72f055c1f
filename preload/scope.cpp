#include "preload/scope.h"

#include "preload/message.h"
#include "preload/names.h"
#include "preload/object.h"
#include "preload/symbols.h"

namespace ftprof {
namespace {

// The object whose malloc the program calls; null when that is ours.
constinit const char* g_in_front = nullptr;

constexpr const char* kAdvice =
    ", which comes before libftprof.so: its blocks are not seen, only mappings and faults are. Put "
    "libftprof.so first in LD_PRELOAD if that is a preloaded library";

}  // namespace

const void* find_scope(const void* next_malloc) {
  Object ours;
  if (!find_object(reinterpret_cast<uintptr_t>(&find_scope), &ours)) return next_malloc;
  Definition seen = find_symbol(ours.map, "malloc");
  if (seen.object == nullptr || seen.object == ours.map) return next_malloc;
  g_in_front = *seen.object->l_name == 0 ? program_path() : seen.object->l_name;
  static constinit std::atomic<bool> said{false};
  say(Level::warn, &said, "malloc is that of ", g_in_front, kAdvice);
  return seen.address;
}

void write_scope_notes() {
  if (g_in_front != nullptr) note("malloc is that of ", g_in_front, kAdvice);
}

}  // namespace ftprof
