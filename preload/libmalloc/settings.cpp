#include "preload/libmalloc/settings.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "preload/libmalloc/pages.h"

namespace ftprof::libmalloc {
namespace {

constexpr size_t kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB, kTiB = 1024 * kGiB;

struct Text {
  const char* begin;
  size_t length;
  bool is(const char* word) const {
    return strlen(word) == length && memcmp(begin, word, length) == 0;
  }
};

// The part before `mark`, which is taken off `rest` together with the mark.
Text cut_at(Text& rest, char mark) {
  const void* found = memchr(rest.begin, mark, rest.length);
  const char* end = found ? static_cast<const char*>(found) : rest.begin + rest.length;
  Text part{rest.begin, static_cast<size_t>(end - rest.begin)};
  size_t taken = part.length + (found ? 1 : 0);
  rest = {rest.begin + taken, rest.length - taken};
  return part;
}

bool parse_digits(Text& text, size_t& number) {
  size_t digits = 0;
  for (number = 0; digits < text.length; ++digits) {
    unsigned digit = static_cast<unsigned char>(text.begin[digits]) - '0';
    if (digit > 9) break;
    if (__builtin_mul_overflow(number, 10, &number)) return false;
    if (__builtin_add_overflow(number, digit, &number)) return false;
  }
  text = {text.begin + digits, text.length - digits};
  return digits > 0;
}

size_t unit_bytes(Text unit) {
  if (unit.length == 0 || unit.is("B")) return 1;
  if (unit.is("KiB")) return kKiB;
  if (unit.is("MiB")) return kMiB;
  if (unit.is("GiB")) return kGiB;
  return unit.is("TiB") ? kTiB : 0;
}

bool parse_size(Text text, size_t& bytes) {
  size_t number = 0;
  if (!parse_digits(text, number)) return false;
  size_t unit = unit_bytes(text);
  return unit != 0 && !__builtin_mul_overflow(number, unit, &bytes);
}

bool parse_size_within(Text text, size_t least, size_t most, size_t& bytes) {
  size_t read = 0;
  if (!parse_size(text, read) || read < least || read > most) return false;
  bytes = read;
  return true;
}

constexpr const char* kPolicies = "policy=deferred or policy=classic";

bool parse_policy(Text value, PolicyKind& policy) {
  if (!value.is("deferred") && !value.is("classic")) return false;
  policy = value.is("classic") ? PolicyKind::classic : PolicyKind::deferred;
  return true;
}

// Null when the value was taken, else what is allowed.
const char* apply(Text key, Text value, Settings& settings) {
  PolicyKind ignored;
  if (key.is("policy")) return parse_policy(value, ignored) ? nullptr : kPolicies;
  if (key.is("threshold")) {
    return parse_size_within(value, 4 * kKiB, kTiB, settings.threshold) ? nullptr : "4KiB to 1TiB";
  }
  if (key.is("entries")) {
    return parse_size_within(value, 0, Ring::kMostEntries, settings.ring.entries) ? nullptr
                                                                                  : "0 to 4096";
  }
  size_t* size = key.is("entry_limit") ? &settings.ring.entry_bytes
                 : key.is("hoard")     ? &settings.ring.hoard_bytes
                 : key.is("reserve")   ? &settings.reserve
                                       : nullptr;
  if (!size) return "policy, threshold, entries, entry_limit, hoard or reserve";
  return parse_size_within(value, 0, SIZE_MAX, *size) ? nullptr : "a size like 64MiB";
}

template <class Use>
void for_each_item(const char* text, Use use) {
  Text rest{text ? text : "", text ? strlen(text) : 0};
  while (rest.length > 0) {
    Text item = cut_at(rest, ',');
    if (item.length == 0) continue;
    Text value = item;
    Text key = cut_at(value, '=');
    use(item, key, value);
  }
}

// The policy first, wherever it stands, as it sets the defaults of the others.
PolicyKind policy_in(const char* text) {
  PolicyKind policy = PolicyKind::deferred;
  for_each_item(text, [&](Text, Text key, Text value) {
    if (key.is("policy")) parse_policy(value, policy);
  });
  return policy;
}

}  // namespace

Settings default_settings(PolicyKind policy, size_t memory) {
  Settings settings;
  settings.policy = policy;
  if (policy == PolicyKind::classic) {
    bool large = memory >= 32 * kGiB;
    settings.ring.entries = large ? 64 : 16;
    settings.ring.entry_bytes = large ? 512 * kMiB : 128 * kMiB;
    settings.ring.hoard_bytes = memory / 1024;
    return settings;
  }
  settings.ring.entries = 1024;
  settings.ring.entry_bytes = SIZE_MAX;
  settings.ring.hoard_bytes = memory / 4;
  settings.reserve = memory / 16;
  return settings;
}

Settings parse_settings(const char* text, size_t memory, Complain complain) {
  Settings settings = default_settings(policy_in(text), memory);
  for_each_item(text, [&](Text item, Text key, Text value) {
    const char* expected = apply(key, value, settings);
    if (expected) complain(item.begin, item.length, expected);
  });
  return settings;
}

void complain_on_stderr(const char* item, size_t length, const char* expected) {
  ErrnoKept keep;
  char line[256] = "libftprof-libmalloc: FTPROF_LIBMALLOC: ";
  size_t used = strlen(line);
  auto append = [&](char c) {
    if (used < sizeof line - 1) line[used++] = c;
  };
  for (size_t i = 0; i < length && i < 80; ++i) {
    append(item[i] >= ' ' && item[i] <= '~' ? item[i] : '?');
  }
  for (const char* p = ": not understood, the default stands; give "; *p; ++p) append(*p);
  for (const char* p = expected; *p; ++p) append(*p);
  line[used++] = '\n';
  if (write(STDERR_FILENO, line, used) < 0) return;  // nobody to tell
}

}  // namespace ftprof::libmalloc
