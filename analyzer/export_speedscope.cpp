// speedscope's own JSON: one sampled profile per value, the fault time shown first.
#include <map>
#include <nlohmann/json.hpp>

#include "analyzer/escape.h"
#include "analyzer/export.h"

namespace ftprof {

namespace {

using Json = nlohmann::json;

constexpr const char* kSchema = "https://www.speedscope.app/file-format-schema.json";
constexpr const char* kTitles[kSampleValues] = {"Faults", "Fault time", "First touch",
                                                "Warm hand-outs"};
constexpr const char* kUnits[kSampleValues] = {"none", "nanoseconds", "bytes", "bytes"};

class Frames {
 public:
  // Outermost first, as speedscope wants them.
  Json stack(const std::vector<Frame>& innermost_first) {
    Json indexes = Json::array();
    for (auto i = innermost_first.rbegin(); i != innermost_first.rend(); ++i)
      indexes.push_back(index(*i));
    return indexes;
  }

  const Json& table() const { return table_; }

 private:
  size_t index(const Frame& frame) {
    auto key = std::make_tuple(frame.function, frame.file, frame.line);
    auto [at, is_new] = ids_.try_emplace(key, table_.size());
    if (is_new) table_.push_back(describe(frame));
    return at->second;
  }

  static Json describe(const Frame& frame) {
    Json made = {{"name", printable(frame.function)}};
    if (!frame.file.empty()) made["file"] = printable(frame.file);
    if (frame.line) made["line"] = frame.line;
    return made;
  }

  std::map<std::tuple<std::string, std::string, uint32_t>, size_t> ids_;
  Json table_ = Json::array();
};

Json profile(const Bill& bill, Frames& frames, SampleValue value) {
  Json samples = Json::array(), weights = Json::array();
  int64_t total = 0;
  for (const BillSample& sample : bill.samples()) {
    if (!sample.values[value]) continue;
    samples.push_back(frames.stack(*sample.stack));
    weights.push_back(sample.values[value]);
    total += sample.values[value];
  }
  return {{"type", "sampled"}, {"name", kTitles[value]}, {"unit", kUnits[value]}, {"startValue", 0},
          {"endValue", total}, {"samples", samples},     {"weights", weights}};
}

}  // namespace

void export_speedscope(std::ostream& out, const Result& result) {
  Bill bill(result);
  Frames frames;
  Json profiles = Json::array();
  for (int i = 0; i < kSampleValues; i++)
    profiles.push_back(profile(bill, frames, static_cast<SampleValue>(i)));
  std::string name = result.run.command.empty() ? "ftprof" : printable(result.run.command[0]);
  out << Json{{"$schema", kSchema},
              {"name", name},
              {"exporter", "ftprof"},
              {"activeProfileIndex", static_cast<int>(kFaultTime)},
              {"shared", {{"frames", frames.table()}}},
              {"profiles", profiles}}
             .dump()
      << '\n';
}

}  // namespace ftprof
