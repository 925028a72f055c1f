#include "preload/modules.h"

#include <gnu/libc-version.h>
#include <string.h>

#include <atomic>

#include "preload/build_id.h"
#include "preload/frame_rule.h"
#include "preload/life.h"
#include "preload/object.h"
#include "preload/peek.h"
#include "preload/slots.h"

namespace ftprof {
namespace {

// Announced objects. An entry is taken by setting `begin`; it is valid once `end` is set, and free
// again at begin 0. Few change and many read, so a scan of a short array beats anything clever.
struct Known {
  std::atomic<uintptr_t> begin, end;
  std::atomic<const link_map*> map;
};
constexpr size_t kMostModules = 2048;
constinit Known g_known[kMostModules]{};
constinit std::atomic<size_t> g_used{0};
constinit std::atomic<uint32_t> g_unloads{0};
constinit CodeRange g_own{}, g_allocator{};

bool is_known(uintptr_t pc) {
  size_t used = g_used.load(std::memory_order_acquire);
  for (size_t i = 0; i < used; ++i)
    if (g_known[i].begin.load(std::memory_order_relaxed) <= pc &&
        pc < g_known[i].end.load(std::memory_order_acquire))
      return true;
  return false;
}

// False when another thread announces the same object right now, or there is no place left.
Known* claim(const Object& object) {
  for (size_t i = 0; i < kMostModules; ++i) {
    uintptr_t begin = 0;
    if (g_known[i].begin.compare_exchange_strong(begin, object.begin, std::memory_order_acq_rel)) {
      g_known[i].map.store(object.map, std::memory_order_relaxed);
      size_t used = g_used.load(std::memory_order_relaxed);
      while (used < i + 1 && !g_used.compare_exchange_weak(used, i + 1)) {
      }
      return &g_known[i];
    }
    if (begin == object.begin) return nullptr;
  }
  return nullptr;
}

// The loader's name for an object; the program itself has none there.
struct ObjectName {
  uintptr_t bias = 0;
  char path[1024] = {};
};

bool read_name(const Object& object, ObjectName* name) {
  struct {
    uintptr_t bias, path;
  } start;  // of a link_map, as <link.h> shows it
  if (object.map == nullptr || !peek(&start, reinterpret_cast<uintptr_t>(object.map))) return false;
  name->bias = start.bias;
  peek(name->path, start.path, sizeof name->path - 1);
  if (name->path[0] == 0) strncpy(name->path, program_path(), sizeof name->path - 1);
  return true;
}

trace::Module describe(const Object& object, uintptr_t bias) {
  trace::Module event{};
  event.begin = object.begin;
  event.end = object.end;
  event.bias = bias;
  BuildId id = read_build_id(object.begin, object.end, bias);
  memcpy(&event.build_id_high, id.bytes, 8);
  memcpy(&event.build_id_mid, id.bytes + 8, 8);
  memcpy(&event.build_id_low, id.bytes + 16, 4);
  event.build_id_bytes = id.size;
  return event;
}

bool still_loaded(const Object& object) {
  Object now;
  return find_object(object.begin, &now) && now.begin == object.begin && now.map == object.map;
}

// What was read is believed only if the object is still there afterwards.
void announce(const Object& object) {
  Known* known = claim(object);
  if (known == nullptr) return;
  ObjectName name;
  bool read = read_name(object, &name);
  trace::Module event = describe(object, name.bias);
  if (!read || !still_loaded(object)) {
    known->begin.store(0, std::memory_order_release);
    return;
  }
  emit_block(event, text_span(name.path));
  known->end.store(object.end, std::memory_order_release);
}

void retire(Known* known) {
  trace::ModuleGone event{known->begin.load(), known->end.load()};
  known->end.store(0, std::memory_order_relaxed);
  known->begin.store(0, std::memory_order_release);
  emit_block(event);
}

bool gone(const Known& known) {
  Object object;
  object.begin = known.begin.load();
  object.map = known.map.load();
  return known.end.load() != 0 && !still_loaded(object);
}

}  // namespace

void note_code(uintptr_t pc) {
  if (is_known(pc)) return;
  Object object;
  if (find_object(pc, &object)) announce(object);
}

void forget_unloaded_code() {
  g_unloads.fetch_add(1, std::memory_order_relaxed);
  forget_frame_rules();
  size_t used = g_used.load(std::memory_order_acquire);
  for (size_t i = 0; i < used; ++i)
    if (gone(g_known[i])) retire(&g_known[i]);
}

uint32_t unload_count() {
  return g_unloads.load(std::memory_order_relaxed);
}

void forget_modules() {
  for (size_t i = 0; i < g_used.load(); ++i) {
    g_known[i].end.store(0);
    g_known[i].begin.store(0);
  }
}

CodeRange own_code() {
  return g_own;
}
CodeRange allocator_code() {
  return g_allocator;
}

void find_code_ranges(uintptr_t allocators_malloc) {
  Object object;
  if (find_object(reinterpret_cast<uintptr_t>(&find_code_ranges), &object))
    g_own = {object.begin, object.end};
  Object libc;
  find_object(reinterpret_cast<uintptr_t>(&gnu_get_libc_version), &libc);
  if (!find_object(allocators_malloc, &object) || object.begin == libc.begin) return;
  // A malloc that the program itself defines: what the program maps is then all there is to see.
  if (*object.map->l_name == 0) return;
  g_allocator = {object.begin, object.end};
}

}  // namespace ftprof
