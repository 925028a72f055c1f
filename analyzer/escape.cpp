#include "analyzer/escape.h"

#include <unictype.h>
#include <unistr.h>
#include <uniwidth.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace ftprof {
namespace {

struct Character {
  std::string_view bytes;
  ucs4_t code = 0;
  bool valid = false;
};

Character next_character(std::string_view text) {
  ucs4_t code = 0;
  auto bytes = reinterpret_cast<const uint8_t*>(text.data());
  int length = u8_mbtoucr(&code, bytes, text.size());
  if (length <= 0) return {text.substr(0, 1), static_cast<uint8_t>(text[0]), false};
  return {text.substr(0, static_cast<size_t>(length)), code, true};
}

bool is_invisible(ucs4_t code) {
  return uc_is_property_default_ignorable_code_point(code) || uc_is_property_bidi_control(code) ||
         uc_is_general_category_withtable(
             code, UC_CATEGORY_MASK_C | UC_CATEGORY_MASK_Zl | UC_CATEGORY_MASK_Zp);
}

std::string escaped(const Character& character) {
  bool one_byte = !character.valid || character.code < 0x80;
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, one_byte ? "\\x%02x" : "\\u{%x}",
                static_cast<unsigned>(character.code));
  return buffer;
}

size_t width_of(const Character& character) {
  return character.valid ? static_cast<size_t>(std::max(0, uc_width(character.code, "UTF-8"))) : 1;
}

// The most bytes from the front that fit into `columns`.
size_t prefix_within(std::string_view text, size_t columns) {
  size_t used = 0, bytes = 0;
  while (bytes < text.size()) {
    Character character = next_character(text.substr(bytes));
    used += width_of(character);
    if (used > columns) break;
    bytes += character.bytes.size();
  }
  return bytes;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    Character character = next_character(text);
    bool harmless = character.valid && !is_invisible(character.code);
    out += harmless ? std::string(character.bytes) : escaped(character);
    text.remove_prefix(character.bytes.size());
  }
  return out;
}

size_t display_width(std::string_view text) {
  size_t columns = 0;
  while (!text.empty()) {
    Character character = next_character(text);
    columns += width_of(character);
    text.remove_prefix(character.bytes.size());
  }
  return columns;
}

std::string fit(std::string_view text, size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  if (columns == 0) return "";
  return std::string(text.substr(0, prefix_within(text, columns - 1))) + "…";
}

std::string fit_left(std::string_view text, size_t columns) {
  size_t width = display_width(text);
  if (width <= columns) return std::string(text);
  if (columns == 0) return "";
  while (width > columns - 1) {
    Character character = next_character(text);
    width -= width_of(character);
    text.remove_prefix(character.bytes.size());
  }
  return "…" + std::string(text);
}

}  // namespace ftprof
