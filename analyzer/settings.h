// The settings of a run: configs/settings.def, filled from FTPROF_OPTIONS, a TOML file and --set,
// in that order, the later one winning. The library parses the same keys again from its environment
// and forgives; here an unknown key or a bad value is refused (BadInput) with its place and the
// nearest known key.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ftprof {

struct SettingInfo {
  enum class Kind { Text, Size, Count, Duration, Share, Flag, Choice, CountOrAuto };
  std::string key;
  Kind kind;
  std::string default_value;
  std::vector<std::string> choices;
  std::string meaning;
};

// In the order of settings.def.
std::span<const SettingInfo> all_settings();

// What a value of this kind looks like: "a size such as 64KiB", "one of auto, perf, pagemap".
std::string describe_value(const SettingInfo& info);
bool is_good_value(const SettingInfo& info, std::string_view value);

class Settings {
 public:
  // `where` names the source in a refusal: "--set", "ci.toml:12".
  void set(std::string_view key, std::string_view value, const std::string& where);
  void set_pair(std::string_view key_and_value, const std::string& where);  // "key=value"
  void set_options(std::string_view options, const std::string& where);     // "key=value,key=value"
  // Tables of other readers of the same file (budgets, variants) are passed over.
  void load_toml(const std::string& path);
  void parse_toml(std::string_view text, const std::string& path);

  // The value given, else the default.
  std::string get(std::string_view key) const;
  // Only what was given.
  const std::map<std::string, std::string>& given() const { return given_; }

  // The variables that hand the settings to the library: FTPROF_OPTIONS (all but output.dir, which
  // may hold a comma), FTPROF_OUTPUT. A variable with nothing to say is left out.
  std::map<std::string, std::string> environment() const;

 private:
  std::map<std::string, std::string> given_;
};

// FTPROF_OPTIONS and FTPROF_OUTPUT of our own environment, then `config` (empty: none), then
// `pairs` from --set.
Settings settings_from(const std::string& config, const std::vector<std::string>& pairs);

}  // namespace ftprof
