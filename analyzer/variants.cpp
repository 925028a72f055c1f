#include "analyzer/variants.h"

#include <toml++/toml.h>

#include "analyzer/bad_input.h"
#include "analyzer/nearest.h"
#include "analyzer/text_file.h"

namespace ftprof {

namespace {

constexpr const char* kBuiltIn =
#include "configs/variants.inc"
    ;

class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  Variant variant(std::string_view name, const toml::node& node) const {
    const toml::table* table = node.as_table();
    if (!table) refuse(node.source(), "a variant is a table: write [variant.NAME]");
    Variant variant;
    variant.name = name;
    for (const auto& [key, value] : *table) take(key, value, variant);
    return variant;
  }

  [[noreturn]] void refuse(const toml::source_region& where, const std::string& what) const {
    throw BadInput(path_ + ":" + std::to_string(where.begin.line) + ": " + what);
  }

 private:
  void take(const toml::key& key, const toml::node& value, Variant& variant) const {
    if (key == "allocator") {
      variant.allocator = text(value, "allocator");
    } else if (key == "description") {
      variant.description = text(value, "description");
    } else if (key == "env") {
      variant.env = environment(value);
    } else {
      refuse(key.source(), "a variant has no key " + std::string(key.str()) +
                               did_you_mean(key.str(), {"allocator", "description", "env"}));
    }
  }

  std::string text(const toml::node& value, const std::string& key) const {
    auto found = value.value_exact<std::string>();
    if (!found) refuse(value.source(), key + " needs a text");
    return *found;
  }

  std::map<std::string, std::string> environment(const toml::node& value) const {
    const toml::table* table = value.as_table();
    if (!table) refuse(value.source(), "env needs a table: env = { NAME = \"value\" }");
    std::map<std::string, std::string> env;
    for (const auto& [name, setting] : *table) {
      std::string key(name.str());
      if (key.empty() || key.find('=') != key.npos)
        refuse(name.source(), "env: \"" + key + "\" is no name of a variable");
      env[key] = text(setting, key);
    }
    return env;
  }

  std::string path_;
};

}  // namespace

Variants::Variants() {
  parse(kBuiltIn, "variants.toml");
}

void Variants::parse(std::string_view toml, const std::string& path) {
  Reader reader(path);
  try {
    toml::table file = toml::parse(toml, path);
    const toml::node* variants = file.get("variant");
    if (!variants) return;
    if (!variants->is_table()) reader.refuse(variants->source(), "write [variant.NAME]");
    for (const auto& [name, node] : *variants->as_table())
      by_name_[std::string(name.str())] = reader.variant(name.str(), node);
  } catch (const toml::parse_error& error) {
    reader.refuse(error.source(), "not valid TOML: " + std::string(error.description()));
  }
}

void Variants::load(const std::string& path) {
  parse(read_text_file(path, "TOML file"), path);
}

const Variant& Variants::find(const std::string& name) const {
  auto found = by_name_.find(name);
  if (found != by_name_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, variant] : by_name_) names.push_back(known);
  throw BadInput("unknown variant " + name + did_you_mean(name, names) +
                 "; your own go into the file given with -c");
}

}  // namespace ftprof
