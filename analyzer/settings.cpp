#include "analyzer/settings.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "analyzer/bad_input.h"
#include "analyzer/nearest.h"
#include "analyzer/quantity.h"

namespace ftprof {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream{std::string(text)};
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<std::string> known_keys() {
  std::vector<std::string> keys;
  for (const SettingInfo& info : all_settings()) keys.push_back(info.key);
  return keys;
}

const SettingInfo* find(std::string_view key) {
  for (const SettingInfo& info : all_settings())
    if (info.key == key) return &info;
  return nullptr;
}

const SettingInfo& known(std::string_view key, const std::string& where) {
  if (const SettingInfo* info = find(key)) return *info;
  std::string hint = did_you_mean(key, known_keys());
  if (hint.empty()) hint = "; docs/settings.md lists the keys";
  throw BadInput(where + ": unknown setting " + std::string(key) + hint);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

std::span<const SettingInfo> all_settings() {
  static const std::vector<SettingInfo> table = {
#define SETTING(member, key, kind, default_value, choices, meaning) \
  {key, SettingInfo::Kind::kind, default_value, split(choices, '|'), meaning},
#include "configs/settings.def"
#undef SETTING
  };
  return table;
}

std::string describe_value(const SettingInfo& info) {
  switch (info.kind) {
    case SettingInfo::Kind::Text:
      return "text without control characters";
    case SettingInfo::Kind::Size:
      return "a size such as 64KiB, 1MiB or 2GiB";
    case SettingInfo::Kind::Count:
      return "a whole number above 0";
    case SettingInfo::Kind::Duration:
      return "a time such as 500ms or 1s";
    case SettingInfo::Kind::Share:
      return "a share such as 3%";
    case SettingInfo::Kind::Flag:
      return "true or false";
    case SettingInfo::Kind::Choice:
      return "one of " + joined(info.choices);
    case SettingInfo::Kind::CountOrAuto:
      return "auto or a whole number above 0";
  }
  return "";
}

bool is_good_value(const SettingInfo& info, std::string_view value) {
  switch (info.kind) {
    case SettingInfo::Kind::Text:
      return std::ranges::none_of(value, [](unsigned char c) { return c < 0x20; });
    case SettingInfo::Kind::Size:
      return parse_bytes(value).value_or(0) > 0;
    case SettingInfo::Kind::Count:
      return parse_count(value).value_or(0) > 0;
    case SettingInfo::Kind::Duration:
      return parse_duration_ns(value).has_value();
    case SettingInfo::Kind::Share:
      return parse_share(value).has_value();
    case SettingInfo::Kind::Flag:
      return parse_flag(value).has_value();
    case SettingInfo::Kind::Choice:
      return std::ranges::count(info.choices, value) > 0;
    case SettingInfo::Kind::CountOrAuto:
      return value == "auto" || parse_count(value).value_or(0) > 0;
  }
  return false;
}

void Settings::set(std::string_view key, std::string_view value, const std::string& where) {
  const SettingInfo& info = known(key, where);
  if (!is_good_value(info, value))
    throw BadInput(where + ": bad value \"" + std::string(value) + "\" for " + info.key +
                   "; it takes " + describe_value(info));
  given_[info.key] = value;
}

void Settings::set_pair(std::string_view pair, const std::string& where) {
  size_t equals = pair.find('=');
  if (equals == pair.npos)
    throw BadInput(where + ": \"" + std::string(pair) + "\" is not KEY=VALUE" +
                   did_you_mean(pair, known_keys()));
  set(pair.substr(0, equals), pair.substr(equals + 1), where);
}

void Settings::set_options(std::string_view options, const std::string& where) {
  for (const std::string& pair : split(options, ','))
    if (!pair.empty()) set_pair(pair, where);
}

std::string Settings::get(std::string_view key) const {
  auto found = given_.find(std::string(key));
  return found != given_.end() ? found->second : known(key, "settings").default_value;
}

std::map<std::string, std::string> Settings::environment() const {
  std::map<std::string, std::string> variables;
  for (const auto& [key, value] : given_) {
    if (key == "output.dir") {
      if (!value.empty()) variables["FTPROF_OUTPUT"] = value;
      continue;
    }
    std::string& options = variables["FTPROF_OPTIONS"];
    options += (options.empty() ? "" : ",") + key + "=" + value;
  }
  return variables;
}

Settings settings_from(const std::string& config, const std::vector<std::string>& pairs) {
  Settings settings;
  if (const char* options = std::getenv("FTPROF_OPTIONS"))
    settings.set_options(options, "FTPROF_OPTIONS");
  if (const char* output = std::getenv("FTPROF_OUTPUT"))
    settings.set("output.dir", output, "FTPROF_OUTPUT");
  if (!config.empty()) settings.load_toml(config);
  for (const std::string& pair : pairs) settings.set_pair(pair, "--set");
  return settings;
}

}  // namespace ftprof
