#include "analyzer/page_tables.h"

namespace ftprof {

namespace {

constexpr int kInlined = 1, kNearest = 2;

}  // namespace

std::string valid_utf8(const std::string& text) {
  using Json = nlohmann::json;
  std::string quoted = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  return Json::parse(quoted).get<std::string>();
}

int64_t PageTables::string(const std::string& text) {
  auto [at, is_new] = string_ids_.try_emplace(text, strings_.size());
  if (is_new) strings_.push_back(valid_utf8(text));
  return at->second;
}

int64_t PageTables::frame(const Frame& frame) {
  FrameKey key{string(frame.function), string(frame.file), string(frame.module), frame.line,
               (frame.inlined ? kInlined : 0) | (frame.nearest ? kNearest : 0)};
  auto [at, is_new] = frame_ids_.try_emplace(key, frames_.size());
  if (is_new) frames_.push_back(key);
  return at->second;
}

int64_t PageTables::node(int64_t parent, int64_t frame) {
  uint64_t key = static_cast<uint64_t>(parent + 1) << 32 | static_cast<uint64_t>(frame);
  auto [at, is_new] = node_ids_.try_emplace(key, parents_.size());
  if (is_new) {
    parents_.push_back(parent);
    node_frames_.push_back(frame);
  }
  return at->second;
}

int64_t PageTables::stack(const std::vector<Frame>& innermost_first) {
  int64_t at = -1;
  for (auto i = innermost_first.rbegin(); i != innermost_first.rend(); ++i)
    at = node(at, frame(*i));
  return at;
}

nlohmann::json PageTables::to_json() const {
  auto none = nlohmann::json::array();
  auto function = none, file = none, module = none, line = none, flags = none;
  for (const auto& [f, path, m, l, bits] : frames_) {
    function.push_back(f);
    file.push_back(path);
    module.push_back(m);
    line.push_back(l);
    flags.push_back(bits);
  }
  return {{"strings", strings_},
          {"frames",
           {{"function", function},
            {"file", file},
            {"module", module},
            {"line", line},
            {"flags", flags}}},
          {"stacks", {{"parent", parents_}, {"frame", node_frames_}}}};
}

}  // namespace ftprof
