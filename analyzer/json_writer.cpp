#include "analyzer/json_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace ftprof {

namespace {

constexpr size_t kFlushBytes = 64 * 1024;

bool is_plain(char byte) {
  return byte >= ' ' && byte <= '~' && byte != '"' && byte != '\\';
}

std::string escaped(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void JsonWriter::key(std::string_view name) {
  separate();
  quote(name);
  buffer_ += ": ";
  after_key_ = true;
}

void JsonWriter::value(std::string_view text) {
  separate();
  quote(text);
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  char digits[32];
  auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  word({digits, static_cast<size_t>(end - digits)});
}

void JsonWriter::finish() {
  buffer_ += '\n';
  flush();
}

void JsonWriter::open(char bracket) {
  separate();
  buffer_ += bracket;
  ++depth_;
  first_ = true;
}

void JsonWriter::close(char bracket) {
  --depth_;
  if (!first_ && depth_ < broken_) break_line();
  buffer_ += bracket;
  first_ = false;
  if (buffer_.size() >= kFlushBytes) flush();
}

// Whatever begins an element comes through here first.
void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (!first_) buffer_ += ',';
  if (depth_ > 0 && depth_ <= broken_) {
    break_line();
  } else if (!first_) {
    buffer_ += ' ';
  }
  first_ = false;
}

void JsonWriter::break_line() {
  buffer_ += '\n';
  buffer_.append(2 * static_cast<size_t>(depth_), ' ');
}

void JsonWriter::word(std::string_view text) {
  separate();
  buffer_ += text;
}

void JsonWriter::quote(std::string_view text) {
  if (!std::all_of(text.begin(), text.end(), is_plain)) {
    buffer_ += escaped(text);
    return;
  }
  buffer_ += '"';
  buffer_ += text;
  buffer_ += '"';
}

void JsonWriter::flush() {
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

}  // namespace ftprof
