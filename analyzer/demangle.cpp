#include "analyzer/demangle.h"

#include <libiberty/demangle.h>

#include <cstdlib>
#include <memory>

namespace ftprof {
namespace {

std::string take(char* text) {
  std::unique_ptr<char, decltype(&std::free)> owned(text, std::free);
  return owned ? owned.get() : "";
}

}  // namespace

std::string demangle(const std::string& symbol) {
  std::string name = symbol.substr(0, symbol.find('@', 1));
  if (name.size() < 3 || name[0] != '_') return name;
  // Rust first: its legacy names are valid C++ ones with a hash at the end.
  std::string out = take(rust_demangle(name.c_str(), DMGL_PARAMS | DMGL_ANSI));
  if (out.empty()) out = take(cplus_demangle_v3(name.c_str(), DMGL_PARAMS | DMGL_ANSI));
  return out.empty() ? name : out.substr(0, out.find(" [clone"));
}

}  // namespace ftprof
