// Writes JSON piece by piece to a stream, so that a report of any size needs no more memory than
// one buffer.
//
// Names and values come from profiled programs: bytes that are no UTF-8 become U+FFFD, and what a
// terminal could act on (control bytes, everything beyond ASCII) is written as \uXXXX. A number
// that is not finite is written as null. Not thread safe.
#pragma once

#include <concepts>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

namespace ftprof {

class JsonWriter {
 public:
  // Containers down to `broken_lines` deep have a line for each element, deeper ones share it.
  explicit JsonWriter(std::ostream& out, int broken_lines = 2) : out_(out), broken_(broken_lines) {}
  ~JsonWriter() { flush(); }
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(std::same_as<bool> auto flag) { word(flag ? "true" : "false"); }
  void value(std::unsigned_integral auto number) requires(!std::same_as<decltype(number), bool>) {
    word(std::to_string(number));
  }
  void value(double number);
  void null() { word("null"); }

  // A key and its value.
  template <class Value>
  void member(std::string_view name, const Value& what) {
    key(name);
    value(what);
  }

  // Ends the text with a line feed and hands everything to the stream.
  void finish();

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();
  void break_line();
  void word(std::string_view text);
  void quote(std::string_view text);
  void flush();

  std::ostream& out_;
  std::string buffer_;
  int broken_;
  int depth_ = 0;
  bool first_ = true;       // nothing yet in the container that is open
  bool after_key_ = false;  // a key waits for its value
};

}  // namespace ftprof
