// What the parts of the text report share: escaping, fitting to the width, colour.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "analyzer/escape.h"
#include "analyzer/figures.h"
#include "analyzer/print_text.h"

namespace ftprof {

class TextWriter {
 public:
  TextWriter(std::ostream& out, const TextView& view) : out_(out), view_(view) {}

  const TextView& view() const { return view_; }
  std::ostream& out() { return out_; }

  void line(std::string_view text = "") { out_ << text << '\n'; }
  void heading(std::string_view text) { out_ << '\n' << bold(text) << '\n'; }
  // Words flow to the width, later lines indented.
  void flow(std::string_view text, size_t indent = 0, size_t hanging = 0);
  // "    label      text", flowing.
  void field(std::string_view label, std::string_view text);

  std::string bold(std::string_view text) const { return paint("1", text); }
  std::string dim(std::string_view text) const { return paint("2", text); }

 private:
  std::string paint(const char* code, std::string_view text) const {
    if (!view_.colour) return std::string(text);
    return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
  }

  std::ostream& out_;
  const TextView& view_;
};

std::string count_text(uint64_t count);
std::string plural(uint64_t count, std::string_view one, std::string_view many);
std::string pad_left(std::string_view text, size_t width);
std::string pad_right(std::string_view text, size_t width);
std::string percent(double part, double whole);  // "12.3 %", "–" of nothing

// "vector.h:12", else "in libpush.so", else nothing.
std::string place_text(const Frame& frame);
// At most `width` wide; the head is cut first.
std::string fit_head(std::string_view head, std::string_view tail, size_t width);
// Name and place, and what shall stand behind them. A narrow width cuts the name, not the place.
std::string frame_text(const Frame& frame, std::string_view behind = "",
                       size_t width = std::string::npos);
std::string thread_text(const std::string& name, uint32_t tid);

void print_site_text(const Result& result, const Site& site, size_t rank, TextWriter& writer);
void print_pool_text(const Result& result, TextWriter& writer);
void print_by_text(const Result& result, TextWriter& writer);

}  // namespace ftprof
