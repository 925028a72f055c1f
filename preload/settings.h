// The settings of this process: the defaults of configs/settings.def with FTPROF_OPTIONS
// ("key=value,key=value") laid over them. Read once, in the constructor; never changed after.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ftprof {

struct Choice {
  char name[12];
  bool is(const char* other) const;
};

namespace setting_kinds {
struct Text {
  char text[1024];
};
using Size = uint64_t;  // bytes
using Count = uint64_t;
using Duration = uint64_t;  // ns
using Share = double;       // 3% is 0.03
using Flag = bool;
using Choice = ftprof::Choice;
using CountOrAuto = uint64_t;  // 0 is auto
}  // namespace setting_kinds

struct Settings {
#define SETTING(member, key, Kind, value, choices, meaning) setting_kinds::Kind member;
#include "configs/settings.def"
#undef SETTING
};

// What was wrong with one key=value; both point into the caller's text. key_bytes 0: all was well.
struct SettingError {
  const char* text;
  size_t bytes;
  bool unknown_key;
};
using OnSettingError = void (*)(const SettingError& error, void* context);

// Fills `settings` with the defaults, then applies `options` (may be null). Each bad pair is
// reported and leaves its setting at the default.
void read_settings(Settings* settings, const char* options, OnSettingError on_error, void* context);

// Calls visit(key, value as text) for every setting: what the trace's attributes repeat.
void visit_settings(const Settings& settings, void (*visit)(const char*, const char*, void*),
                    void* context);

// "64KiB", "1MiB", "500ms", "1s", "3%", "42"; false when it is none of these.
bool parse_size(const char* text, size_t bytes, uint64_t* to);
bool parse_duration(const char* text, size_t bytes, uint64_t* to);
bool parse_share(const char* text, size_t bytes, double* to);

}  // namespace ftprof
