#include "analyzer/result_json.h"

#include "analyzer/json_writer.h"
#include "analyzer/report_fields.h"

namespace ftprof {

namespace {

// The writing Io of report_fields.h.
class JsonOut {
 public:
  template <class T>
  using As = const T;

  explicit JsonOut(JsonWriter& out) : out_(out) {}

  template <class T>
  void field(const char* name, const T& value) {
    out_.key(name);
    put(value);
  }
  template <class T>
  void known(const char* name, const T& value, const T& unknown) {
    out_.key(name);
    value == unknown ? out_.null() : put(value);
  }
  template <class Describe>
  void derived(Describe describe) {
    describe(*this);
  }
  template <class Describe>
  void object(const char* name, Describe describe) {
    out_.key(name);
    out_.begin_object();
    describe();
    out_.end_object();
  }
  template <class T>
  void list(const char* name, const std::vector<T>& items) {
    out_.key(name);
    out_.begin_array();
    for (const T& item : items) element(item);
    out_.end_array();
  }
  void owner(const char* name, Owner owner) { field(name, std::string_view(owner_name(owner))); }
  void environment(const char* name, const std::map<std::string, std::string>& env) {
    if (env.empty()) {
      out_.key(name);
      return out_.null();
    }
    object(name, [&] { field("env", env); });
  }
  void by_phase(const char* name,
                const std::map<std::string, std::pair<uint64_t, double>>& phases) {
    out_.key(name);
    out_.begin_array();
    for (const auto& [phase, bill] : phases) {
      out_.begin_object();
      field("name", phase);
      field("faults", bill.first);
      field("cost_ns", bill.second);
      out_.end_object();
    }
    out_.end_array();
  }
  template <class T>
  void element(const T& item) {
    out_.begin_object();
    fields(*this, item);
    out_.end_object();
  }

 private:
  template <class T>
  void put(const T& value) {
    out_.value(value);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    value ? put(*value) : out_.null();
  }
  template <class T>
  void put(const std::vector<T>& values) {
    out_.begin_array();
    for (const T& value : values) put(value);
    out_.end_array();
  }
  template <class T>
  void put(const std::map<std::string, T>& values) {
    out_.begin_object();
    for (const auto& [name, value] : values) field(name.c_str(), value);
    out_.end_object();
  }

  JsonWriter& out_;
};

}  // namespace

void write_json(const Result& result, std::ostream& out) {
  JsonWriter writer(out);
  JsonOut io(writer);
  writer.begin_object();
  io.field("schema", std::string_view(kReportSchema));
  io.object("run", [&] { fields(io, result.run); });
  io.object("ledger", [&] { fields(io, result.ledger); });
  io.object("pool", [&] { fields(io, result.pool); });
  io.object("huge_pages", [&] { fields(io, result.huge); });
  io.list("processes", result.processes);
  io.list("threads", result.threads);
  io.list("phases", result.phases);
  io.object("timeline", [&] { fields(io, result.timeline); });
  io.list("sites", result.sites);
  io.list("block_map", result.block_map);
  io.list("modules", result.modules);
  writer.end_object();
  writer.finish();
}

}  // namespace ftprof
