// Reads a report in one pass: each site is taken over and dropped as soon as its text ends.
#include <fstream>

#include "analyzer/json_in.h"
#include "analyzer/result_json.h"

namespace ftprof {

namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 16;  // the report itself nests 6 deep

class ReportReader {
 public:
  // nlohmann::json::parser_callback_t: false drops what was parsed.
  bool event(int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kDeepest) throw BadInput("nested too deeply");
    if (event == Json::parse_event_t::key && depth == 1) {
      key_ = parsed.get<std::string>();
      index_ = 0;
      return true;
    }
    bool ends = event == Json::parse_event_t::object_end || event == Json::parse_event_t::value ||
                event == Json::parse_event_t::array_end;
    if (!ends) return true;
    if (depth == 0 && !parsed.is_object()) throw BadInput("expected an object");
    if (depth == 2 && is_list()) return take_item(parsed), false;
    if (depth == 1) return take_member(parsed), false;
    return true;
  }

  Result finish() {
    if (!has_schema_) throw BadInput("no \"schema\": this is no ftprof report");
    if (!has_run_ || !has_ledger_) throw BadInput("\"run\" or \"ledger\" is missing");
    check_indexes();
    return std::move(result_);
  }

 private:
  bool is_list() const {
    return key_ == "sites" || key_ == "threads" || key_ == "phases" || key_ == "processes" ||
           key_ == "block_map" || key_ == "modules";
  }

  template <class T>
  void append(std::vector<T>& items, JsonIn& in) {
    fields(in, items.emplace_back());
  }

  void take_item(const Json& item) {
    JsonIn in(item, key_ + "[" + std::to_string(index_++) + "]");
    if (key_ == "sites") append(result_.sites, in);
    if (key_ == "threads") append(result_.threads, in);
    if (key_ == "phases") append(result_.phases, in);
    if (key_ == "processes") append(result_.processes, in);
    if (key_ == "block_map") append(result_.block_map, in);
    if (key_ == "modules") append(result_.modules, in);
  }

  void take_member(const Json& member) {
    if (key_ == "schema") return check_schema(member);
    if (is_list() && !member.is_array()) throw BadInput(key_ + ": expected an array");
    if (key_ == "run") has_run_ = true, take_object(member, result_.run);
    if (key_ == "ledger") has_ledger_ = true, take_object(member, result_.ledger);
    if (key_ == "pool") take_object(member, result_.pool);
    if (key_ == "huge_pages") take_object(member, result_.huge);
    if (key_ == "timeline") take_object(member, result_.timeline);
  }

  template <class T>
  void take_object(const Json& object, T& into) {
    into = T{};
    JsonIn in(object, key_);
    fields(in, into);
  }

  void check_schema(const Json& schema) {
    if (schema != kReportSchema)
      throw BadInput("schema is " + schema.dump().substr(0, 60) + ", this ftprof reads \"" +
                     kReportSchema + "\"");
    has_schema_ = true;
  }

  void check_indexes() const {
    size_t processes = std::max<size_t>(result_.processes.size(), 1);
    for (size_t i = 0; i < result_.sites.size(); ++i) {
      const Site& site = result_.sites[i];
      std::string where = "sites[" + std::to_string(i) + "]";
      if (site.process >= processes) throw BadInput(where + ".process: there is no such process");
      if (site.top > site.stack.size()) throw BadInput(where + ".top_frame: beyond the stack");
    }
    for (const Thread& thread : result_.threads)
      if (thread.process >= processes) throw BadInput("threads: there is no such process");
  }

  Result result_;
  std::string key_;
  size_t index_ = 0;
  bool has_schema_ = false, has_run_ = false, has_ledger_ = false;
};

// "parse error at line 1, column 5: …" without the library's prefix and of bounded length.
std::string reason(const Json::exception& error) {
  std::string text = error.what();
  size_t prefix = text.find("] ");
  if (prefix != std::string::npos) text.erase(0, prefix + 2);
  constexpr size_t kLongest = 200;
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

}  // namespace

Result read_json(std::istream& in, const std::string& name) {
  ReportReader reader;
  try {
    Json rest = Json::parse(in, [&](int depth, Json::parse_event_t event, Json& parsed) {
      return reader.event(depth, event, parsed);
    });
    return reader.finish();
  } catch (const Json::exception& error) {
    throw BadInput(name + ": not a JSON report: " + reason(error));
  } catch (const BadInput& error) {
    throw BadInput(name + ": not a usable report: " + error.what());
  }
}

Result read_json_file(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw BadInput(path + ": cannot be opened; give a JSON report or a run's folder");
  return read_json(in, path);
}

}  // namespace ftprof
