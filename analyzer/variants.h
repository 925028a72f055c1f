// What `ftprof compare` runs a program under: an allocator, and settings of it on top.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ftprof {

struct Variant {
  std::string name;
  std::string allocator;  // as --allocator takes it; empty: what the program has
  std::string description;
  std::map<std::string, std::string> env;
};

class Variants {
 public:
  Variants();  // the built-in ones, configs/variants.toml

  // Adds those of a file, [variant.NAME]; the same name replaces. Throw BadInput with the line.
  void load(const std::string& path);
  void parse(std::string_view toml, const std::string& path);

  // Throws BadInput with the nearest name when there is none.
  const Variant& find(const std::string& name) const;
  const std::map<std::string, Variant>& all() const { return by_name_; }

 private:
  std::map<std::string, Variant> by_name_;
};

}  // namespace ftprof
