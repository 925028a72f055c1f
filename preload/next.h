// The next definition of every hooked name, behind us in the program's search order: found once.
//
// `wrap_from` stands beside them, in the cache line that the hot hooks read anyway: the smallest
// request that is more than passed on. It is 0 until the library is initialised, so that early
// requests take the careful path; with calls.count it stays 0.
#pragma once

#include <stddef.h>

#include <atomic>

namespace ftprof {

void early_free(void* pointer);  // hooks_malloc.cpp

struct Next {
  size_t wrap_from = 0;
#define FTPROF_NEXT_wrap(name, result, parameters) result(*name) parameters = nullptr;
#define FTPROF_NEXT_jump(name, result, parameters)
#define HOOK(name, need, kind, result, parameters) FTPROF_NEXT_##kind(name, result, parameters)
#include "preload/hooks.def"
#undef HOOK
};

extern Next g_next;

// Looks all of them up; idempotent, and several threads may do it at once.
void resolve_next();
bool resolved();

// A definition that came later than our lookup: libstdc++ of a plug-in, in a program without it.
// Null when there is none.
void* find_late(const char* name);

}  // namespace ftprof
