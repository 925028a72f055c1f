// operator new and delete in every form. Where the next definition is libstdc++'s, it calls malloc
// or free through our hooks, which record the block under the operator's name; where it is the
// allocator's own (jemalloc, mimalloc, tcmalloc), it is wrapped like malloc.
#include "preload/careful.h"
#include "preload/hooks.h"

namespace ftprof {

using trace::Api;

namespace {

// The definition behind `member`; a plug-in may have brought libstdc++ long after our lookup.
template <auto kMember>
auto find_next(const char* name) {
  enter();
  if (g_next.*kMember == nullptr) *reinterpret_cast<void**>(&(g_next.*kMember)) = find_late(name);
  return g_next.*kMember;
}

void ask_as(Api api) {
  if (!t_thread.inside && t_thread.asked_as == Api::unknown) t_thread.asked_as = api;
}

template <auto kMember, class... Arguments>
[[gnu::noinline]] void* careful_new(Api api, const char* name, size_t bytes,
                                    Arguments... arguments) {
  auto next = find_next<kMember>(name);
  // Nothing in the process defines it, so nothing can expect it to throw.
  if (next == nullptr) return hook::malloc(bytes);
  auto real = [&] { return next(bytes, arguments...); };
  if (!in_allocator(next)) {
    ask_as(api);
    return next(bytes, arguments...);
  }
  return allocate_throwing(api, bytes, real);
}

template <auto kMember, class... Arguments>
[[gnu::noinline]] void careful_delete(Api api, const char* name, void* pointer,
                                      Arguments... arguments) {
  auto next = find_next<kMember>(name);
  if (next == nullptr) return hook::free(pointer);
  auto real = [&] { next(pointer, arguments...); };
  if (!in_allocator(next)) {
    if (pointer != nullptr) ask_as(api);
    return next(pointer, arguments...);
  }
  count(api);
  if (t_thread.inside || pointer == nullptr) return real();
  wrap_release(api, pointer, real);
}

}  // namespace

#define NEW(symbol, api, parameters, ...)                                          \
  void* symbol parameters {                                                        \
    if (__builtin_expect(bytes < g_next.wrap_from && g_next.symbol != nullptr, 1)) \
      return g_next.symbol(__VA_ARGS__);                                           \
    return careful_new<&Next::symbol>(api, #symbol, __VA_ARGS__);                  \
  }

#define DELETE(symbol, api, parameters, ...)                                                      \
  void symbol parameters {                                                                        \
    if (__builtin_expect(                                                                         \
            !g_filter.may_hold(reinterpret_cast<uintptr_t>(pointer)) && g_next.symbol != nullptr, \
            1))                                                                                   \
      return g_next.symbol(__VA_ARGS__);                                                          \
    careful_delete<&Next::symbol>(api, #symbol, __VA_ARGS__);                                     \
  }

namespace hook {

NEW(_Znwm, Api::operator_new, (size_t bytes), bytes)
NEW(_Znam, Api::operator_new_array, (size_t bytes), bytes)
NEW(_ZnwmRKSt9nothrow_t, Api::operator_new, (size_t bytes, const void* nothrow), bytes, nothrow)
NEW(_ZnamRKSt9nothrow_t, Api::operator_new_array, (size_t bytes, const void* nothrow), bytes,
    nothrow)
NEW(_ZnwmSt11align_val_t, Api::operator_new, (size_t bytes, size_t alignment), bytes, alignment)
NEW(_ZnamSt11align_val_t, Api::operator_new_array, (size_t bytes, size_t alignment), bytes,
    alignment)
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, Api::operator_new,
    (size_t bytes, size_t alignment, const void* nothrow), bytes, alignment, nothrow)
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, Api::operator_new_array,
    (size_t bytes, size_t alignment, const void* nothrow), bytes, alignment, nothrow)

DELETE(_ZdlPv, Api::operator_delete, (void* pointer), pointer)
DELETE(_ZdaPv, Api::operator_delete_array, (void* pointer), pointer)
DELETE(_ZdlPvm, Api::operator_delete, (void* pointer, size_t bytes), pointer, bytes)
DELETE(_ZdaPvm, Api::operator_delete_array, (void* pointer, size_t bytes), pointer, bytes)
DELETE(_ZdlPvSt11align_val_t, Api::operator_delete, (void* pointer, size_t alignment), pointer,
       alignment)
DELETE(_ZdaPvSt11align_val_t, Api::operator_delete_array, (void* pointer, size_t alignment),
       pointer, alignment)
DELETE(_ZdlPvmSt11align_val_t, Api::operator_delete,
       (void* pointer, size_t bytes, size_t alignment), pointer, bytes, alignment)
DELETE(_ZdaPvmSt11align_val_t, Api::operator_delete_array,
       (void* pointer, size_t bytes, size_t alignment), pointer, bytes, alignment)
DELETE(_ZdlPvRKSt9nothrow_t, Api::operator_delete, (void* pointer, const void* nothrow), pointer,
       nothrow)
DELETE(_ZdaPvRKSt9nothrow_t, Api::operator_delete_array, (void* pointer, const void* nothrow),
       pointer, nothrow)
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, Api::operator_delete,
       (void* pointer, size_t alignment, const void* nothrow), pointer, alignment, nothrow)
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, Api::operator_delete_array,
       (void* pointer, size_t alignment, const void* nothrow), pointer, alignment, nothrow)

}  // namespace hook
}  // namespace ftprof
