#include "preload/private_api.h"

#include <stdint.h>

#include "preload/careful.h"
#include "preload/imports.h"
#include "preload/object.h"
#include "preload/symbols.h"

namespace ftprof {
namespace {

constexpr trace::Api kApi = trace::Api::allocator_private;

// Too much for any allocator, where the product does not fit.
size_t times(size_t n, size_t size) {
  size_t bytes = 0;
  return __builtin_mul_overflow(n, size, &bytes) ? SIZE_MAX : bytes;
}

template <class Real>
[[gnu::noinline]] void* careful_allocate(size_t bytes, Real real) {
  return allocate_throwing(kApi, bytes, real);
}
template <class Real>
[[gnu::noinline]] void* careful_resize(void* old, size_t bytes, Real real) {
  return reallocate(kApi, old, bytes, real);
}
template <class Real>
[[gnu::noinline]] void careful_release(void* block, Real real) {
  release(kApi, block, real);
}

// Each entry: the allocator's own definition, and what takes its place.
#define ALLOCATE(name, bytes, parameters, arguments)                       \
  void*(*next_##name)parameters = nullptr;                                 \
  void* wrap_##name parameters {                                           \
    if (LIKELY((bytes) < g_next.wrap_from)) return next_##name arguments;  \
    return careful_allocate(bytes, [=] { return next_##name arguments; }); \
  }
#define ALLOCATE_TO(name, to, bytes, parameters, arguments)                     \
  int(*next_##name) parameters = nullptr;                                       \
  int wrap_##name parameters {                                                  \
    if (LIKELY((bytes) < g_next.wrap_from)) return next_##name arguments;       \
    return allocate_to(kApi, to, bytes, [=] { return next_##name arguments; }); \
  }
#define RESIZE(name, old, bytes, parameters, arguments)                                           \
  void*(*next_##name)parameters = nullptr;                                                        \
  void* wrap_##name parameters {                                                                  \
    if (LIKELY((bytes) < g_next.wrap_from && !may_be_tracked(old))) return next_##name arguments; \
    return careful_resize(old, bytes, [=] { return next_##name arguments; });                     \
  }
#define RELEASE(name, block, parameters, arguments)                   \
  void(*next_##name) parameters = nullptr;                            \
  void wrap_##name parameters {                                       \
    if (LIKELY(!may_be_tracked(block))) return next_##name arguments; \
    careful_release(block, [=] { next_##name arguments; });           \
  }
#include "preload/private_api.def"
#undef ALLOCATE
#undef ALLOCATE_TO
#undef RESIZE
#undef RELEASE

struct Entry {
  const char* name;
  void** next;
  void* wrapper;
};
#define ENTRY(name) \
  {#name, reinterpret_cast<void**>(&next_##name), reinterpret_cast<void*>(wrap_##name)},
#define ALLOCATE(name, bytes, parameters, arguments) ENTRY(name)
#define ALLOCATE_TO(name, to, bytes, parameters, arguments) ENTRY(name)
#define RESIZE(name, old, bytes, parameters, arguments) ENTRY(name)
#define RELEASE(name, block, parameters, arguments) ENTRY(name)
const Entry kEntries[] = {
#include "preload/private_api.def"
};
#undef ALLOCATE
#undef ALLOCATE_TO
#undef RESIZE
#undef RELEASE
#undef ENTRY
constexpr size_t kCount = sizeof kEntries / sizeof *kEntries;

// One entry of each allocator that it cannot be without.
constexpr const char* kTelling[] = {"mallocx", "mi_malloc", "tc_malloc"};

// The allocator itself calls its own functions, and may well hold its lock then: it is left alone.
void wrap_entries_of(const link_map* allocator, const link_map* own) {
  SymbolTable table(allocator->l_addr, allocator->l_ld);
  ImportedFunction functions[kCount];
  for (size_t i = 0; i < kCount; ++i) {
    void* definition = reinterpret_cast<void*>(table.find(kEntries[i].name));
    if (definition != nullptr) *kEntries[i].next = definition;
    functions[i] = {kEntries[i].name, definition, kEntries[i].wrapper};
  }
  const link_map* object = allocator;
  while (object->l_prev != nullptr) object = object->l_prev;
  for (; object != nullptr; object = object->l_next)
    if (object != allocator && object != own) replace_imports(object, functions, kCount);
}

}  // namespace

void wrap_private_entries() {
  Object own;
  if (!find_object(reinterpret_cast<uintptr_t>(&wrap_private_entries), &own)) return;
  for (const char* telling : kTelling) {
    Definition found = find_symbol(own.map, telling);
    if (found.object != nullptr) wrap_entries_of(found.object, own.map);
  }
}

}  // namespace ftprof
