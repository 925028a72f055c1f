#include "analyzer/fold.h"

#include <algorithm>

namespace ftprof {
namespace {

// The one table. A frame is folded when its module or its bare name is listed.
enum class Part {
  module,    // the file's name begins with it
  function,  // the bare name is it
  scope,     // the bare name begins with it
};
enum class Layer { allocator, library };

struct Pattern {
  Layer layer;
  Part part;
  std::string_view text;
};

constexpr Pattern kPatterns[] = {
    {Layer::allocator, Part::module, "libftprof"},
    {Layer::allocator, Part::module, "libjemalloc"},
    {Layer::allocator, Part::module, "libmimalloc"},
    {Layer::allocator, Part::module, "libtcmalloc"},
    {Layer::allocator, Part::module, "libhoard"},
    {Layer::allocator, Part::module, "libsnmalloc"},
    {Layer::library, Part::module, "libc.so"},
    {Layer::library, Part::module, "libc-2."},
    {Layer::library, Part::module, "ld-linux"},
    {Layer::library, Part::module, "libstdc++."},
    {Layer::library, Part::module, "libc++."},
    {Layer::library, Part::module, "libc++abi."},
    {Layer::library, Part::module, "libgcc_s."},
    {Layer::allocator, Part::function, "malloc"},
    {Layer::allocator, Part::function, "calloc"},
    {Layer::allocator, Part::function, "realloc"},
    {Layer::allocator, Part::function, "reallocarray"},
    {Layer::allocator, Part::function, "free"},
    {Layer::allocator, Part::function, "cfree"},
    {Layer::allocator, Part::function, "posix_memalign"},
    {Layer::allocator, Part::function, "aligned_alloc"},
    {Layer::allocator, Part::function, "memalign"},
    {Layer::allocator, Part::function, "valloc"},
    {Layer::allocator, Part::function, "pvalloc"},
    {Layer::allocator, Part::function, "mmap"},
    {Layer::allocator, Part::function, "mmap64"},
    {Layer::allocator, Part::function, "mremap"},
    {Layer::allocator, Part::function, "munmap"},
    {Layer::allocator, Part::function, "madvise"},
    {Layer::allocator, Part::function, "operator new"},
    {Layer::allocator, Part::function, "operator new[]"},
    {Layer::allocator, Part::function, "operator delete"},
    {Layer::allocator, Part::function, "operator delete[]"},
    {Layer::allocator, Part::scope, "__libc_"},
    // Wrappers that much software has around malloc: GNU, GLib, redis, CPython.
    {Layer::allocator, Part::function, "xmalloc"},
    {Layer::allocator, Part::function, "xcalloc"},
    {Layer::allocator, Part::function, "xrealloc"},
    {Layer::allocator, Part::scope, "g_malloc"},
    {Layer::allocator, Part::scope, "g_realloc"},
    {Layer::allocator, Part::scope, "g_try_malloc"},
    {Layer::allocator, Part::scope, "zmalloc"},
    {Layer::allocator, Part::scope, "zcalloc"},
    {Layer::allocator, Part::scope, "zrealloc"},
    {Layer::allocator, Part::scope, "ztrymalloc"},
    {Layer::allocator, Part::scope, "ztrycalloc"},
    {Layer::allocator, Part::scope, "ztryrealloc"},
    {Layer::allocator, Part::scope, "PyMem_"},
    {Layer::allocator, Part::scope, "_PyMem_"},
    {Layer::allocator, Part::scope, "PyObject_Malloc"},
    {Layer::allocator, Part::scope, "PyObject_Calloc"},
    {Layer::allocator, Part::scope, "PyObject_Realloc"},
    {Layer::allocator, Part::scope, "_PyObject_Malloc"},
    {Layer::allocator, Part::scope, "_PyObject_Calloc"},
    {Layer::allocator, Part::scope, "_PyObject_Realloc"},
    {Layer::allocator, Part::scope, "_PyObject_Arena"},
    {Layer::allocator, Part::function, "new_arena"},
    {Layer::allocator, Part::function, "allocate_from_new_pool"},
    {Layer::allocator, Part::function, "pymalloc_alloc"},
    {Layer::allocator, Part::scope, "__rust_alloc"},
    {Layer::allocator, Part::scope, "__rust_realloc"},
    {Layer::allocator, Part::scope, "__rdl_"},
    {Layer::allocator, Part::scope, "__rg_"},
    {Layer::library, Part::scope, "std::"},
    {Layer::library, Part::scope, "__gnu_cxx::"},
    {Layer::library, Part::scope, "__cxxabiv1::"},
    {Layer::library, Part::scope, "core::"},      // Rust
    {Layer::library, Part::scope, "alloc::"},     // Rust
    {Layer::library, Part::scope, "hashbrown::"}  // Rust's tables
};

std::string_view base_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool matches(const Pattern& pattern, std::string_view name, std::string_view module) {
  switch (pattern.part) {
    case Part::module:
      return module.starts_with(pattern.text);
    case Part::function:
      return name == pattern.text;
    case Part::scope:
      return name.starts_with(pattern.text);
  }
  return false;
}

bool in_layer(const Frame& frame, Layer layer) {
  std::string name = bare_name(frame.function);
  std::string_view module = base_of(frame.module);
  return std::ranges::any_of(kPatterns, [&](const Pattern& pattern) {
    return pattern.layer == layer && matches(pattern, name, module);
  });
}

// What stands in <…> and (…) is left out, but for an operator's own signs and "(anonymous
// namespace)".
class BareName {
 public:
  explicit BareName(std::string_view text) : text_(text) {}

  std::string parse() {
    for (at_ = 0; at_ < text_.size() && !done_; ++at_) step();
    return out_;
  }

 private:
  bool here(std::string_view word) const { return text_.substr(at_).starts_with(word); }

  void keep(std::string_view word) {
    out_ += word;
    at_ += word.size() - 1;
  }

  void step() {
    constexpr std::string_view kAnonymous = "(anonymous namespace)";
    char c = text_[at_];
    if (depth_ == 0 && here("operator") && (out_.empty() || out_.back() == ':'))
      return keep_operator();
    if (depth_ == 0 && here(kAnonymous)) return keep(kAnonymous);
    if (depth_ == 0 && c == '{') return keep(text_.substr(at_, matching_brace()));
    if (c == '<') return opening_angle();
    if (c == '(' || c == '[') return opening(c);
    if (c == ')' || c == '>' || c == ']') return closing();
    if (depth_ > 0) return;
    if (c == ' ') return space();
    out_ += c;
  }

  // Of Rust's "<T as Trait>::f" T is part of the name; everything else in <…> is arguments.
  void opening_angle() {
    if (at_ == 0)
      in_rust_type_ = true;
    else
      ++depth_;
  }

  // What stands before a space is the return type.
  void space() {
    if (in_rust_type_ && here(" as "))
      ++depth_;
    else
      out_.clear();
  }

  // "{lambda(int)#1}", "{{closure}}": its length.
  size_t matching_brace() const {
    int open = 0;
    for (size_t i = at_; i < text_.size(); ++i) {
      open += (text_[i] == '{') - (text_[i] == '}');
      if (open == 0) return i - at_ + 1;
    }
    return text_.size() - at_;
  }

  void opening(char c) {
    if (depth_ == 0 && c == '(' && !out_.empty() && out_ != "decltype") done_ = true;
    ++depth_;
  }

  void closing() {
    if (depth_ > 0) --depth_;
  }

  // "operator()", "operator<<", "operator new[]", "operator int".
  void keep_operator() {
    std::string_view rest = text_.substr(at_);
    constexpr size_t kWord = 8;
    if (rest.size() > kWord &&
        (isalnum(static_cast<unsigned char>(rest[kWord])) || rest[kWord] == '_'))
      return keep(rest.substr(0, 1));  // a name that merely begins like it
    size_t end = rest.starts_with("operator()") ? kWord + 2 : rest.find('(', kWord);
    keep(rest.substr(0, end));
    done_ = true;
  }

  std::string_view text_;
  std::string out_;
  size_t at_ = 0;
  int depth_ = 0;
  bool in_rust_type_ = false;
  bool done_ = false;
};

}  // namespace

std::string bare_name(std::string_view function) {
  return BareName(function).parse();
}

bool is_folded(const Frame& frame) {
  return in_layer(frame, Layer::allocator) || in_layer(frame, Layer::library);
}

size_t first_own_frame(const std::vector<Frame>& stack) {
  auto own = std::ranges::find_if_not(stack, is_folded);
  if (own == stack.end())
    own = std::ranges::find_if_not(
        stack, [](const Frame& frame) { return in_layer(frame, Layer::allocator); });
  return own == stack.end() ? 0 : static_cast<size_t>(own - stack.begin());
}

}  // namespace ftprof
