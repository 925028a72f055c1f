#include "preload/scope.h"

#include "preload/message.h"
#include "preload/names.h"
#include "preload/object.h"
#include "preload/symbols.h"

namespace ftprof {
namespace {

// The object whose malloc the program calls; null when that is ours.
constinit const char* g_in_front = nullptr;
constinit const char *g_what = nullptr, *g_advice = nullptr;  // said before and behind its name

constexpr const char* kBlocks =
    ", which comes before libftprof.so: its blocks are not seen, only mappings and faults are. Put "
    "libftprof.so first in LD_PRELOAD if that is a preloaded library";
constexpr const char* kEverything =
    ", which comes before libftprof.so: neither blocks nor mappings are seen, so nothing is "
    "recorded before a mark is set. Put libftprof.so first in LD_PRELOAD";

bool takes_mappings(const link_map* object) {
  return find_symbol(object, "mmap").object == object;
}

}  // namespace

const void* find_scope(const void* next_malloc) {
  Object ours;
  if (!find_object(reinterpret_cast<uintptr_t>(&find_scope), &ours)) return next_malloc;
  Definition seen = find_symbol(ours.map, "malloc");
  if (seen.object == nullptr || seen.object == ours.map) return next_malloc;
  g_in_front = *seen.object->l_name == 0 ? program_path() : seen.object->l_name;
  bool everything = takes_mappings(seen.object);
  g_what = everything ? "malloc and mmap are those of " : "malloc is that of ";
  g_advice = everything ? kEverything : kBlocks;
  static constinit std::atomic<bool> said{false};
  say(Level::warn, &said, g_what, g_in_front, g_advice);
  return seen.address;
}

void write_scope_notes() {
  if (g_in_front != nullptr) note(g_what, g_in_front, g_advice);
}

}  // namespace ftprof
