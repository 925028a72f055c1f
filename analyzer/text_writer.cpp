#include "analyzer/text_writer.h"

#include <algorithm>
#include <sstream>

#include "analyzer/site_sum.h"

namespace ftprof {

void TextWriter::flow(std::string_view text, size_t indent, size_t hanging) {
  std::string margin(indent, ' ');
  std::istringstream words{std::string(text)};
  std::string word, line = margin;
  size_t used = indent;
  bool fresh = true;
  while (words >> word) {
    size_t width = display_width(word);
    if (!fresh && used + 1 + width > view_.width) {
      out_ << line << '\n';
      line = std::string(indent + hanging, ' ');
      used = indent + hanging;
      fresh = true;
    }
    if (!fresh) line += ' ', ++used;
    if (used + width > view_.width && used < view_.width) word = fit(word, view_.width - used);
    line += word;
    used += width;
    fresh = false;
  }
  out_ << line << '\n';
}

void TextWriter::field(std::string_view label, std::string_view text) {
  constexpr size_t kIndent = 4, kLabel = 11;
  std::ostringstream body;
  TextView narrow = view_;
  narrow.width = view_.width > kIndent + kLabel + 20 ? view_.width - kIndent - kLabel : 20;
  TextWriter(body, narrow).flow(text);
  std::istringstream lines(body.str());
  std::string line, head = pad_right(label, kLabel);
  while (std::getline(lines, line)) {
    out_ << std::string(kIndent, ' ') << dim(head) << line << '\n';
    head = std::string(kLabel, ' ');
  }
}

std::string count_text(uint64_t count) {
  return count_figure(static_cast<double>(count));
}

std::string plural(uint64_t count, std::string_view one, std::string_view many) {
  return count_text(count) + " " + std::string(count == 1 ? one : many);
}

std::string pad_left(std::string_view text, size_t width) {
  size_t used = display_width(text);
  return std::string(width > used ? width - used : 0, ' ') + std::string(text);
}

std::string pad_right(std::string_view text, size_t width) {
  size_t used = display_width(text);
  return std::string(text) + std::string(width > used ? width - used : 0, ' ');
}

std::string percent(double part, double whole) {
  return whole > 0 ? share_figure(part / whole) : "–";
}

std::string place_text(const Frame& frame) {
  auto base = [](const std::string& path) { return printable(path.substr(path.rfind('/') + 1)); };
  if (!frame.file.empty())
    return base(frame.file) + (frame.line ? ":" + std::to_string(frame.line) : "");
  return frame.module.empty() ? "" : "in " + base(frame.module);
}

std::string fit_head(std::string_view head, std::string_view tail, size_t width) {
  constexpr size_t kLeastHead = 16;
  size_t taken = display_width(tail);
  size_t room = width > taken + kLeastHead ? width - taken : kLeastHead;
  return fit(fit(head, room) + std::string(tail), width);
}

std::string frame_text(const Frame& frame, std::string_view behind, size_t width) {
  std::string place = place_text(frame);
  return fit_head(printable(shown_function(frame)),
                  (place.empty() ? "" : "  " + place) + std::string(behind), width);
}

std::string thread_text(const std::string& name, uint32_t tid) {
  return name.empty() ? "thread " + std::to_string(tid) : printable(name);
}

}  // namespace ftprof
