// A line or a path put together in a buffer of fixed size: what does not fit is cut off, and full()
// says so. No allocation, no locale, no errno: usable in a hook, in a signal handler and in the
// collector.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ftprof {

template <size_t kCapacity>
class Text {
 public:
  const char* c_str() const { return buffer_; }
  size_t size() const { return size_; }
  bool full() const { return full_; }
  void clear() { size_ = 0, full_ = false, buffer_[0] = 0; }

  Text& add(char c) {
    if (size_ + 1 >= kCapacity) {
      full_ = true;
      return *this;
    }
    buffer_[size_++] = c;
    buffer_[size_] = 0;
    return *this;
  }
  Text& add(const char* text) {
    for (; *text != 0; ++text) add(*text);
    return *this;
  }
  Text& add(const char* text, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) add(text[i]);
    return *this;
  }
  Text& add_number(uint64_t value, unsigned base = 10, int width = 1) {
    char digits[24];
    int count = 0;
    for (; value != 0 || count < width; value /= base)
      digits[count++] = "0123456789abcdef"[value % base];
    while (count > 0) add(digits[--count]);
    return *this;
  }

 private:
  char buffer_[kCapacity] = {};
  size_t size_ = 0;
  bool full_ = false;
};

}  // namespace ftprof
