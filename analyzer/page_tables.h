// The tables that every part of the HTML page's data points into: strings, frames, and stacks as a
// prefix tree, so that a name or a caller shared by thousands of sites is written once.
// Columns: one JSON array per field. An index of -1 means "none".
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analyzer/result.h"

namespace ftprof {

class PageTables {
 public:
  int64_t string(const std::string& text);
  int64_t frame(const Frame& frame);
  // `innermost_first` as a node of the tree; -1 for an empty stack.
  int64_t stack(const std::vector<Frame>& innermost_first);
  // {"strings", "frames", "stacks"}: everything handed in so far.
  nlohmann::json to_json() const;

 private:
  using FrameKey = std::tuple<int64_t, int64_t, int64_t, uint32_t, int>;
  int64_t node(int64_t parent, int64_t frame);

  std::unordered_map<std::string, int64_t> string_ids_;
  std::vector<std::string> strings_;
  std::map<FrameKey, int64_t> frame_ids_;
  std::vector<FrameKey> frames_;
  std::unordered_map<uint64_t, int64_t> node_ids_;  // parent + 1 and frame, 32 bits each
  std::vector<int64_t> parents_, node_frames_;
};

// `text` with invalid UTF-8 replaced, so that a hostile name cannot break the document.
std::string valid_utf8(const std::string& text);

}  // namespace ftprof
