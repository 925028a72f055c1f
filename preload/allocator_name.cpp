#include "preload/allocator_name.h"

#include <gnu/libc-version.h>
#include <string.h>

#include "preload/object.h"
#include "preload/symbols.h"
#include "preload/text.h"

namespace ftprof {
namespace {

constinit Text<48> g_name, g_version;
constinit const char* g_library = "";

// A version that a library tells through one function; each has its own way.
template <class Function>
Function function_of(const Object& object, const char* symbol) {
  return reinterpret_cast<Function>(SymbolTable(object.map->l_addr, object.map->l_ld).find(symbol));
}

void find_jemalloc_version(const Object& object) {
  using Mallctl = int (*)(const char*, void*, size_t*, void*, size_t);
  auto mallctl = function_of<Mallctl>(object, "mallctl");
  const char* version = nullptr;
  size_t size = sizeof version;
  if (mallctl != nullptr && mallctl("version", &version, &size, nullptr, 0) == 0 &&
      version != nullptr)
    g_version.add(version, strcspn(version, "-"));
}

void find_mimalloc_version(const Object& object) {
  auto version = function_of<int (*)()>(object, "mi_version");
  if (version == nullptr) return;
  auto number = static_cast<unsigned>(version());
  g_version.add_number(number / 100)
      .add('.')
      .add_number(number / 10 % 10)
      .add('.')
      .add_number(number % 10);
}

void find_tcmalloc_version(const Object& object) {
  auto version = function_of<const char* (*)(int*, int*, const char**)>(object, "tc_version");
  if (version != nullptr) g_version.add(version(nullptr, nullptr, nullptr));
}

struct Known {
  const char* part_of_file_name;
  const char* name;
  void (*find_version)(const Object&);
};
constexpr Known kKnown[] = {
    {"libc.so", "glibc", [](const Object&) { g_version.add(gnu_get_libc_version()); }},
    {"jemalloc", "jemalloc", find_jemalloc_version},
    {"mimalloc", "mimalloc", find_mimalloc_version},
    {"tcmalloc", "tcmalloc", find_tcmalloc_version},
    {"libftprof-libmalloc", "libmalloc", [](const Object&) {}},
};

constinit const Known* g_known = nullptr;
constinit Object g_object;

}  // namespace

void find_allocator_version() {
  if (g_known != nullptr) g_known->find_version(g_object);
}

void find_allocator_name(const void* next_malloc) {
  if (!find_object(reinterpret_cast<uintptr_t>(next_malloc), &g_object)) return;
  g_library = g_object.map->l_name;
  const char* slash = strrchr(g_library, '/');
  const char* file = slash == nullptr ? g_library : slash + 1;
  for (const Known& known : kKnown)
    if (strstr(file, known.part_of_file_name) != nullptr) {
      g_name.add(known.name);
      g_known = &known;
      return;
    }
  g_name.add(*file == 0 ? "the program's own" : file);
}

const char* allocator_name() {
  return g_name.c_str();
}
const char* allocator_version() {
  return g_version.c_str();
}
const char* allocator_library() {
  return g_library;
}

}  // namespace ftprof
