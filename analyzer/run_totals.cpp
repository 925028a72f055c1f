#include "analyzer/run_totals.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace ftprof {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

constexpr uintmax_t kMostBytes = 512 << 10;  // half a million brackets still fit into memory
constexpr uint64_t kMostFaults = uint64_t{1} << 50;

bool is_record(const fs::directory_entry& entry) {
  std::string name = entry.path().filename().string();
  std::error_code error;
  return name.starts_with("run.") && name.ends_with(".json") && entry.is_regular_file(error) &&
         entry.file_size(error) <= kMostBytes;
}

std::optional<uint64_t> number(const Json& record, const char* name) {
  auto found = record.find(name);
  if (found == record.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<uint64_t>();
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::optional<RunRecord> parse_run_record(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("schema", Json()) != "ftprof.run/1") return std::nullopt;
  auto start = number(json, "start_unix_ns"), minor = number(json, "minor_faults"),
       major = number(json, "major_faults");
  if (!start || !minor || !major || *minor > kMostFaults || *major > kMostFaults)
    return std::nullopt;
  RunRecord record{*start, {{}, *minor + *major}};
  for (const Json& word : json.value("command", Json::array()))
    if (word.is_string()) record.totals.command.push_back(word.get<std::string>());
  return record;
}

RunTotals read_run_totals(const std::vector<std::string>& folders,
                          std::vector<std::string>& warnings) {
  RunTotals all;
  uint64_t first = ~uint64_t{0};
  for (const std::string& folder : folders) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (!is_record(entry)) continue;
      auto record = parse_run_record(text_of(entry.path()));
      if (!record) {
        warnings.push_back(entry.path().string() + ": no ftprof.run/1; what it knew is missing");
        continue;
      }
      all.faults = std::min(kMostFaults, all.faults + record->totals.faults);
      if (record->start_unix_ns >= first) continue;
      first = record->start_unix_ns;
      all.command = std::move(record->totals.command);
    }
  }
  return all;
}

}  // namespace ftprof
