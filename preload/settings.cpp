#include "preload/settings.h"

#include <string.h>

#include "preload/text.h"

namespace ftprof {
namespace {

// A stretch of somebody's text.
struct Words {
  const char* text;
  size_t bytes;
};

bool same(Words words, const char* other) {
  return strlen(other) == words.bytes && memcmp(words.text, other, words.bytes) == 0;
}

bool parse_digits(Words* words, uint64_t* to) {
  size_t used = 0;
  uint64_t value = 0;
  for (; used < words->bytes && words->text[used] >= '0' && words->text[used] <= '9'; ++used)
    if (__builtin_mul_overflow(value, 10u, &value) ||
        __builtin_add_overflow(value, static_cast<uint64_t>(words->text[used] - '0'), &value))
      return false;
  *words = {words->text + used, words->bytes - used};
  *to = value;
  return used > 0;
}

struct Unit {
  const char* name;
  uint64_t factor;
};

// Smallest first.
constexpr Unit kSizeUnits[] = {
    {"", 1}, {"B", 1}, {"KiB", 1ull << 10}, {"MiB", 1ull << 20}, {"GiB", 1ull << 30}};
constexpr size_t kSizeUnitCount = sizeof kSizeUnits / sizeof *kSizeUnits;
constexpr Unit kTimeUnits[] = {
    {"", 1}, {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
constexpr size_t kTimeUnitCount = sizeof kTimeUnits / sizeof *kTimeUnits;

bool parse_with(const Unit* units, size_t count, Words words, uint64_t* to) {
  uint64_t number = 0;
  if (!parse_digits(&words, &number)) return false;
  for (size_t i = 0; i < count; ++i)
    if (same(words, units[i].name)) return !__builtin_mul_overflow(number, units[i].factor, to);
  return false;
}

// One parser per kind; `choices` is empty but for Choice.
bool parse(Words words, const char*, setting_kinds::Text* to) {
  if (words.bytes >= sizeof to->text) return false;
  memcpy(to->text, words.text, words.bytes);
  to->text[words.bytes] = 0;
  return true;
}

bool parse(Words words, const char*, bool* to) {
  *to = same(words, "true");
  return *to || same(words, "false");
}

bool parse(Words words, const char*, double* to) {
  return parse_share(words.text, words.bytes, to);
}

bool parse(Words words, const char* choices, Choice* to) {
  for (const char* choice = choices; *choice != 0;) {
    size_t length = strcspn(choice, "|");
    if (length == words.bytes && memcmp(choice, words.text, length) == 0) {
      memcpy(to->name, choice, length);
      to->name[length] = 0;
      return true;
    }
    choice += length + (choice[length] == '|');
  }
  return false;
}

// Size, Count, Duration and CountOrAuto are all uint64_t: the table's word tells them apart.
bool parse_named(Words words, const char* kind, uint64_t* to) {
  if (strcmp(kind, "Size") == 0) return parse_size(words.text, words.bytes, to);
  if (strcmp(kind, "Duration") == 0) return parse_duration(words.text, words.bytes, to);
  if (strcmp(kind, "CountOrAuto") == 0 && same(words, "auto")) {
    *to = 0;
    return true;
  }
  return parse_digits(&words, to) && words.bytes == 0;
}

template <class T>
bool parse_setting(Words words, const char* kind, const char* choices, T* to) {
  if constexpr (sizeof(T) == 8 && __is_same(T, uint64_t))
    return parse_named(words, kind, to);
  else
    return parse(words, choices, to);
}

// False when no such key exists; *good tells whether the value could be read.
bool assign(Settings* settings, Words key, Words value, bool* good) {
#define SETTING(member, name, Kind, default_value, choices, meaning) \
  if (same(key, name)) {                                             \
    auto parsed = settings->member;                                  \
    *good = parse_setting(value, #Kind, choices, &parsed);           \
    if (*good) settings->member = parsed;                            \
    return true;                                                     \
  }
#include "configs/settings.def"
#undef SETTING
  return false;
}

void assign_defaults(Settings* settings) {
  bool good = true;
#define SETTING(member, name, Kind, default_value, choices, meaning) \
  assign(settings, {name, strlen(name)}, {default_value, strlen(default_value)}, &good);
#include "configs/settings.def"
#undef SETTING
}

void show(setting_kinds::Text value, const char*, Text<1100>* to) {
  to->add(value.text);
}
void show(bool value, const char*, Text<1100>* to) {
  to->add(value ? "true" : "false");
}
void show(Choice value, const char*, Text<1100>* to) {
  to->add(value.name);
}
// In hundredths of a percent at most: what a budget needs.
void show(double value, const char*, Text<1100>* to) {
  auto hundredths = static_cast<uint64_t>(value * 10000 + 0.5);
  to->add_number(hundredths / 100);
  if (hundredths % 100 != 0) to->add('.').add_number(hundredths % 100, 10, 2);
  to->add('%');
}
// In the largest unit that divides it, as a user would write it.
void show(uint64_t value, const char* kind, Text<1100>* to) {
  const Unit* units = nullptr;
  size_t count = 0;
  if (strcmp(kind, "Size") == 0) units = kSizeUnits, count = kSizeUnitCount;
  if (strcmp(kind, "Duration") == 0) units = kTimeUnits, count = kTimeUnitCount;
  if (strcmp(kind, "CountOrAuto") == 0 && value == 0) {
    to->add("auto");
    return;
  }
  while (value != 0 && count > 1 && value % units[count - 1].factor != 0) --count;
  bool whole = value != 0 && count > 1;
  to->add_number(whole ? value / units[count - 1].factor : value);
  if (whole) to->add(units[count - 1].name);
}

}  // namespace

bool Choice::is(const char* other) const {
  return strcmp(name, other) == 0;
}

bool parse_size(const char* text, size_t bytes, uint64_t* to) {
  return parse_with(kSizeUnits, kSizeUnitCount, {text, bytes}, to);
}

bool parse_duration(const char* text, size_t bytes, uint64_t* to) {
  return parse_with(kTimeUnits, kTimeUnitCount, {text, bytes}, to);
}

bool parse_share(const char* text, size_t bytes, double* to) {
  Words words{text, bytes};
  uint64_t whole = 0, fraction = 0;
  double scale = 1;
  if (!parse_digits(&words, &whole)) return false;
  if (words.bytes > 1 && words.text[0] == '.') {
    Words digits{words.text + 1, words.bytes - 1};
    if (!parse_digits(&digits, &fraction)) return false;
    for (const char* digit = words.text + 1; digit < digits.text; ++digit) scale *= 10;
    words = digits;
  }
  double value = static_cast<double>(whole) + static_cast<double>(fraction) / scale;
  *to = same(words, "%") ? value / 100 : value;
  return (words.bytes == 0 || same(words, "%")) && *to <= 1;
}

void read_settings(Settings* settings, const char* options, OnSettingError on_error,
                   void* context) {
  assign_defaults(settings);
  while (options != nullptr && *options != 0) {
    size_t length = strcspn(options, ",");
    size_t key = 0;
    while (key < length && options[key] != '=') ++key;
    bool good = false, known = false;
    if (key < length)
      known = assign(settings, {options, key}, {options + key + 1, length - key - 1}, &good);
    if (!good && length > 0) on_error({options, length, !known}, context);
    options += length + (options[length] == ',');
  }
}

void visit_settings(const Settings& settings, void (*visit)(const char*, const char*, void*),
                    void* context) {
  Text<1100> text;
#define SETTING(member, name, Kind, default_value, choices, meaning) \
  text.clear();                                                      \
  show(settings.member, #Kind, &text);                               \
  visit(name, text.c_str(), context);
#include "configs/settings.def"
#undef SETTING
}

}  // namespace ftprof
