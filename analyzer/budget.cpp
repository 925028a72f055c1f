#include "analyzer/budget.h"

#include <toml++/toml.h>

#include <algorithm>
#include <functional>
#include <regex>

#include "analyzer/bad_input.h"
#include "analyzer/nearest.h"
#include "analyzer/quantity.h"
#include "analyzer/settings.h"
#include "analyzer/text_file.h"

namespace ftprof {

namespace {

enum class Kind { count, duration, share, bytes, text, pattern };

// One key of a table, and where its value goes: `number` or, for texts, `text`.
struct Key {
  const char* name;
  Kind kind;
  Limit* number = nullptr;
  std::string* text = nullptr;
};

using Keys = std::vector<Key>;

Keys keys_of(RunBudget& run) {
  return {{"max_faults", Kind::count, &run.max_faults},
          {"max_major_faults", Kind::count, &run.max_major_faults},
          {"max_fault_time", Kind::duration, &run.max_fault_time_ns},
          {"min_accounted", Kind::share, &run.min_accounted},
          {"max_peak_resident", Kind::bytes, &run.max_peak_resident_bytes},
          {"max_cold_handouts", Kind::count, &run.max_cold_handouts},
          {"max_refaults_after_purge", Kind::count, &run.max_refaults_after_purge},
          {"min_warm", Kind::share, &run.min_warm}};
}

Keys keys_of(WarmupBudget& warmup) {
  return {{"until", Kind::text, nullptr, &warmup.until},
          {"max_faults", Kind::count, &warmup.max_faults},
          {"max_fault_time", Kind::duration, &warmup.max_fault_time_ns}};
}

Keys keys_of(SteadyBudget& steady) {
  return {{"max_faults_per_second", Kind::count, &steady.max_faults_per_second},
          {"max_fault_time_share", Kind::share, &steady.max_fault_time_share}};
}

Keys keys_of(SiteBudget& site) {
  return {{"match", Kind::pattern, nullptr, &site.match},
          {"max_faults", Kind::count, &site.max_faults},
          {"max_fault_time", Kind::duration, &site.max_fault_time_ns},
          {"min_warm", Kind::share, &site.min_warm},
          {"max_cold_handouts", Kind::count, &site.max_cold_handouts},
          {"max_untouched", Kind::share, &site.max_untouched}};
}

std::vector<std::string> names(const Keys& keys) {
  std::vector<std::string> all;
  for (const Key& key : keys) all.push_back(key.name);
  return all;
}

class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  // Reads `node`, the table that stands as [name].
  template <class Section>
  void section(const toml::node& node, const char* name, Section& into) {
    const toml::table* table = node.as_table();
    if (!table) refuse(node, std::string(name) + " is a table: write [" + name + "]");
    Keys keys = keys_of(into);
    for (const auto& [key, value] : *table) take(find(keys, key, name), value);
  }

  void sites(const toml::node& node, std::vector<SiteBudget>& into) {
    const toml::array* array = node.as_array();
    if (!array) refuse(node, "site is a list of tables: write [[site]]");
    for (const toml::node& one : *array) {
      section(one, "[site]", into.emplace_back());
      if (into.back().match.empty())
        refuse(one, "[[site]] needs match = \"a regular expression on any frame\"");
    }
  }

  void baseline(const toml::node& node, Tolerance& into) {
    Limit tolerance = into.share, slack = into.slack;
    Keys keys = {{"tolerance", Kind::share, &tolerance}, {"slack", Kind::count, &slack}};
    const toml::table* table = node.as_table();
    if (!table) refuse(node, "baseline is a table: write [baseline]");
    for (const auto& [key, value] : *table) take(find(keys, key, "baseline"), value);
    into = {*tolerance, *slack};
  }

  [[noreturn]] void refuse(const toml::source_region& where, const std::string& what) const {
    throw BadInput(path_ + ":" + std::to_string(where.begin.line) + ": " + what);
  }
  [[noreturn]] void refuse(const toml::node& where, const std::string& what) const {
    refuse(where.source(), what);
  }

 private:
  const Key& find(const Keys& keys, const toml::key& key, const std::string& section) const {
    for (const Key& known : keys)
      if (key.str() == known.name) return known;
    refuse(key.source(), "[" + section + "] has no key " + std::string(key.str()) +
                             did_you_mean(key.str(), names(keys)));
  }

  void take(const Key& key, const toml::node& value) const {
    if (key.kind == Kind::pattern) return take_pattern(key, value);
    if (key.kind == Kind::text) return take_until(key, value);
    *key.number = number(key, value);
  }

  double number(const Key& key, const toml::node& value) const {
    auto text = value.value<std::string>();
    std::optional<double> found;
    if (!text && value.is_number()) {
      found = value.value<double>();
      // A bare number has no unit: only a count, and a share of 1, can go without.
      if (key.kind == Kind::duration || (key.kind == Kind::share && *found > 1)) found.reset();
    }
    if (text) found = quantity(key.kind, *text);
    if (!found || !(*found >= 0))
      refuse(value, std::string(key.name) + " needs " + example(key.kind));
    return *found;
  }

  static std::optional<double> quantity(Kind kind, const std::string& text) {
    if (kind == Kind::duration) return parse_duration_ns(text);
    if (kind == Kind::share) return parse_share(text);
    if (kind == Kind::bytes) return parse_bytes(text);
    return parse_count(text);
  }

  static const char* example(Kind kind) {
    switch (kind) {
      case Kind::duration:
        return "a time, as in \"60ms\"";
      case Kind::share:
        return "a share, as in \"98%\"";
      case Kind::bytes:
        return "a size, as in \"64MiB\"";
      default:
        return "a count, as in 70000";
    }
  }

  void take_until(const Key& key, const toml::node& value) const {
    auto text = value.value<std::string>();
    bool good = text && (*text == "auto" || (text->starts_with("mark:") && text->size() > 5) ||
                         parse_duration_ns(*text));
    if (!good) refuse(value, "until needs \"mark:NAME\", a time as in \"2s\", or \"auto\"");
    *key.text = *text;
  }

  void take_pattern(const Key& key, const toml::node& value) const {
    auto text = value.value<std::string>();
    if (!text || text->empty()) refuse(value, "match needs a regular expression");
    try {
      std::regex check(*text);
    } catch (const std::regex_error& error) {
      refuse(value, "match is no regular expression: " + std::string(error.what()));
    }
    *key.text = *text;
  }

  std::string path_;
};

// Every table that a file may have: ours, compare's, and those of the settings.
std::vector<std::string> known_tables() {
  std::vector<std::string> tables = {"run", "warmup", "steady", "site", "baseline", "variant"};
  for (const SettingInfo& setting : all_settings())
    tables.push_back(setting.key.substr(0, setting.key.find('.')));
  return tables;
}

void check_tables(const toml::table& file, const Reader& reader) {
  std::vector<std::string> known = known_tables();
  for (const auto& [key, node] : file) {
    std::string first(key.str().substr(0, key.str().find('.')));
    if (std::find(known.begin(), known.end(), first) == known.end())
      reader.refuse(key.source(), "unknown table or key " + std::string(key.str()) +
                                      did_you_mean(key.str(), known));
  }
}

// What is not ours is checked by those who read it.
void check_settings(std::string_view toml, const std::string& path) {
  Settings settings;
  settings.parse_toml(toml, path);
}

Budget read(const toml::table& file, const std::string& path) {
  Budget budget;
  Reader reader(path);
  check_tables(file, reader);
  for (const auto& [key, node] : file) {
    if (key == "run") reader.section(node, "run", budget.run);
    if (key == "warmup") reader.section(node, "warmup", budget.warmup);
    if (key == "steady") reader.section(node, "steady", budget.steady);
    if (key == "site") reader.sites(node, budget.sites);
    if (key == "baseline") reader.baseline(node, budget.baseline);
  }
  return budget;
}

}  // namespace

Budget parse_budget(std::string_view toml, const std::string& path) {
  try {
    Budget budget = read(toml::parse(toml, path), path);
    check_settings(toml, path);
    return budget;
  } catch (const toml::parse_error& error) {
    throw BadInput(path + ":" + std::to_string(error.source().begin.line) +
                   ": not valid TOML: " + std::string(error.description()));
  }
}

Budget load_budget(const std::string& path) {
  return parse_budget(read_text_file(path, "TOML file"), path);
}

}  // namespace ftprof
