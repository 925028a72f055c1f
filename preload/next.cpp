#include "preload/next.h"

#include "preload/object.h"
#include "preload/symbols.h"

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

constinit std::atomic<bool> g_resolved{false};

const link_map* own_object() {
  Object object;
  return find_object(reinterpret_cast<uintptr_t>(&g_next), &object) ? object.map : nullptr;
}

// A required one that is missing leaves its pointer null: the first call of it crashes where the
// program would not have linked without us.
void find(const link_map* own, const char* name, void** to) {
  // A null must not replace what stands there for the time before (early_free).
  if (void* found = find_symbol_behind(own, name).address) *to = found;
}

#define FTPROF_SLOT_wrap(name) reinterpret_cast<void**>(&g_next.name)
#define FTPROF_SLOT_jump(name) &ftprof_jump_##name

void look_up_all(const link_map* own) {
#define HOOK(name, need, kind, result, parameters) find(own, #name, FTPROF_SLOT_##kind(name));
#include "preload/hooks.def"
#undef HOOK
}

}  // namespace

void resolve_next() {
  if (resolved()) return;
  look_up_all(own_object());
  g_resolved.store(true, std::memory_order_release);
}

bool resolved() {
  return g_resolved.load(std::memory_order_acquire);
}

void* find_late(const char* name) {
  return find_symbol_behind(own_object(), name).address;
}

}  // namespace ftprof
