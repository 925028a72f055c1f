// The words in a loaded object through which it calls, or holds the address of, functions that it
// imports: its global offset table, and pointers in its data.
#pragma once

#include <link.h>
#include <stddef.h>

namespace ftprof {

struct ImportedFunction {
  const char* name;
  void* definition;   // what the program's scope finds; null: not there, leave it alone
  void* replacement;  // what takes its place
};

// Replaces the imports of `object` that are bound to one of the definitions, or not bound yet. A
// word that the program has already set to something else stays. Words that the loader made
// read-only (RELRO) are so again on return; where that is forbidden, they stay as they are.
void replace_imports(const link_map* object, const ImportedFunction* functions, size_t count);

}  // namespace ftprof
