// The TOML side of Settings: dotted keys and tables come to the same, "[blocks] min_size" is
// "blocks.min_size".
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "analyzer/bad_input.h"
#include "analyzer/settings.h"
#include "analyzer/text_file.h"

namespace ftprof {
namespace {

// Tables of other readers of the same file: budgets (check) and variants (compare).
constexpr std::string_view kForeignTables[] = {"run",      "warmup",  "steady",  "site",
                                               "baseline", "variant", "variants"};

std::string place(const std::string& path, const toml::source_region& source) {
  return path + ":" + std::to_string(source.begin.line);
}

// A value as it would stand in --set; numbers are bytes, ns, counts, or shares.
std::string text_of(const toml::node& node, const std::string& key, const std::string& where) {
  if (auto text = node.value_exact<std::string>()) return *text;
  if (auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  if (auto number = node.value_exact<int64_t>()) return std::to_string(*number);
  if (auto number = node.value_exact<double>()) {
    std::ostringstream text;
    text << *number;
    return text.str();
  }
  throw BadInput(where + ": " + key + " is neither text, a number, true nor false");
}

void read_table(const toml::table& table, const std::string& prefix, const std::string& path,
                Settings& settings) {
  for (const auto& [name, node] : table) {
    std::string key = prefix + std::string(name.str());
    if (prefix.empty() && std::ranges::count(kForeignTables, name.str())) continue;
    if (auto inner = node.as_table()) {
      read_table(*inner, key + ".", path, settings);
      continue;
    }
    std::string where = place(path, name.source());
    settings.set(key, text_of(node, key, where), where);
  }
}

}  // namespace

void Settings::parse_toml(std::string_view text, const std::string& path) {
  try {
    read_table(toml::parse(text, path), "", path, *this);
  } catch (const toml::parse_error& error) {
    throw BadInput(place(path, error.source()) +
                   ": not valid TOML: " + std::string(error.description()));
  }
}

void Settings::load_toml(const std::string& path) {
  parse_toml(read_text_file(path, "TOML file"), path);
}

}  // namespace ftprof
