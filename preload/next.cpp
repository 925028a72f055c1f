#include "preload/next.h"

#include "preload/look_up.h"
#include "preload/object.h"

namespace ftprof {

namespace {

constexpr Next before_lookup() {
  Next next;
  next.free = early_free;
  return next;
}

}  // namespace

alignas(64) constinit Next g_next = before_lookup();

// Where the stubs of hooks_life.cpp jump to.
#define FTPROF_TARGET_wrap(name)
#define FTPROF_TARGET_jump(name)      \
  extern "C" {                        \
  void* ftprof_jump_##name = nullptr; \
  }
#define HOOK(name, need, kind, result, parameters) FTPROF_TARGET_##kind(name)
#include "preload/hooks.def"
#undef HOOK

namespace {

enum class Lookup : int { none, going_on, done };
constinit std::atomic<Lookup> g_lookup{Lookup::none};

// A required one that is missing leaves its pointer null: the first call of it crashes where the
// program would not have linked without us.
void find(const char* name, void** to) {
  // A null must not replace what stands there for the time before (early_free).
  if (void* found = look_up(RTLD_NEXT, name)) *to = found;
}

#define FTPROF_SLOT_wrap(name) reinterpret_cast<void**>(&g_next.name)
#define FTPROF_SLOT_jump(name) &ftprof_jump_##name

void look_up_all() {
#define HOOK(name, need, kind, result, parameters) find(#name, FTPROF_SLOT_##kind(name));
#include "preload/hooks.def"
#undef HOOK
}

}  // namespace

void resolve_next() {
  Lookup none = Lookup::none;
  if (!g_lookup.compare_exchange_strong(none, Lookup::going_on)) return;
  look_up_all();
  g_lookup.store(Lookup::done, std::memory_order_release);
}

bool resolved() {
  return g_lookup.load(std::memory_order_acquire) == Lookup::done;
}

// By name, for a handle of its own: a link map that was not itself opened has no search list yet.
void* next_seen_from(const void* caller, const char* name) {
  Object object;
  if (!find_object(reinterpret_cast<uintptr_t>(caller), &object)) return nullptr;
  void* handle = dlopen(object.map->l_name, RTLD_NOLOAD | RTLD_LAZY);
  if (handle == nullptr) return nullptr;
  void* found = look_up(handle, name);
  g_next.dlclose(handle);
  return found;
}

}  // namespace ftprof
