#include "analyzer/trace_version.h"

#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "analyzer/bad_input.h"
#include "preload/trace_format.h"

namespace ftprof {
namespace {

constexpr const char* kVersionKey = "ftprof_trace_version";
constexpr size_t kMostMetadata = 1 << 20;  // bytes; ours has a few thousand

std::string first_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw BadInput(path.string() + ": cannot be read; copy the whole folder");
  std::string text(kMostMetadata, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

// The number behind "key =" in the environment block.
std::optional<uint64_t> number_of(const std::string& text, const std::string& key) {
  size_t at = text.find(key);
  if (at == std::string::npos) return std::nullopt;
  at = text.find_first_not_of(" \t=", at + key.size());
  uint64_t value = 0;
  size_t digits = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && digits < 9; ++at, ++digits)
    value = value * 10 + static_cast<uint64_t>(text[at] - '0');
  return digits ? std::optional(value) : std::nullopt;
}

}  // namespace

void check_trace_version(const std::filesystem::path& metadata) {
  std::string text = first_bytes(metadata);
  if (text.empty()) throw BadInput(metadata.string() + ": is empty; the trace was cut off");
  auto version = number_of(text, kVersionKey);
  if (!version) throw BadInput(metadata.string() + ": was not written by ftprof");
  if (*version > trace::kTraceVersion)
    throw BadInput(metadata.string() + ": the trace has version " + std::to_string(*version) +
                   ", this ftprof reads up to version " + std::to_string(trace::kTraceVersion) +
                   "; use a newer ftprof");
}

}  // namespace ftprof
