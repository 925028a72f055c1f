// profile.proto, gzip. A module is a mapping of 4 GiB at a place of its own, so that an address is
// its offset in the module and two runs agree on it.
#include <map>
#include <unordered_map>

#include "analyzer/escape.h"
#include "analyzer/export.h"
#include "analyzer/packed.h"
#include "analyzer/profile.pb.h"

namespace ftprof {

namespace {

constexpr uint64_t kMappingBytes = uint64_t{1} << 32;

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

class ProfileWriter {
 public:
  explicit ProfileWriter(const Result& result) : result_(result) {
    text("");
    for (const SampleType& type : kSampleTypes) set(profile_.add_sample_type(), type);
    set(profile_.mutable_period_type(), kSampleTypes[kFaults]);
    profile_.set_period(1);
    profile_.set_default_sample_type(text(kSampleTypes[kFaultTime].name));
    profile_.set_time_nanos(static_cast<int64_t>(result.run.start_unix_ns));
    profile_.set_duration_nanos(static_cast<int64_t>(result.run.duration_ns));
    profile_.add_comment(
        text("ftprof: faults " + result.run.fault_source + ", cost " + result.run.fault_cost));
  }

  // The first mapping is the one that pprof names the profile after: the program's own.
  void name_after_program() {
    if (result_.processes.empty()) return;
    for (const Module& module : result_.modules)
      if (base_name(module.path) == result_.processes[0].name) return void(mapping(module.path));
  }

  void add(const BillSample& bill) {
    auto sample = profile_.add_sample();
    add_locations(sample, *bill.stack);
    for (int64_t value : bill.values) sample->add_value(value);
    if (bill.thread < result_.threads.size())
      label(sample, "thread", result_.threads[bill.thread].name);
    if (bill.phase < result_.phases.size()) label(sample, "phase", result_.phases[bill.phase].name);
    if (bill.process < result_.processes.size()) add_process(sample, bill.process);
  }

  std::string bytes() const { return profile_.SerializeAsString(); }

 private:
  int64_t text(const std::string& words) {
    auto [at, is_new] = texts_.try_emplace(words, profile_.string_table_size());
    if (is_new) profile_.add_string_table(words.empty() ? words : printable(words));
    return at->second;
  }

  void set(pprof::ValueType* value, const SampleType& type) {
    value->set_type(text(type.name));
    value->set_unit(text(type.unit));
  }

  void label(pprof::Sample* sample, const char* key, const std::string& value) {
    auto label = sample->add_label();
    label->set_key(text(key));
    label->set_str(text(value));
  }

  void add_process(pprof::Sample* sample, uint32_t index) {
    const Process& process = result_.processes[index];
    label(sample, "process", process.name);
    if (!process.rank.empty()) label(sample, "rank", process.rank);
    auto pid = sample->add_label();
    pid->set_key(text("pid"));
    pid->set_num(process.pid);
  }

  // Inlined frames and the one that holds them are one location of several lines.
  void add_locations(pprof::Sample* sample, const std::vector<Frame>& stack) {
    for (size_t first = 0; first < stack.size();) {
      size_t last = first;
      while (last + 1 < stack.size() && stack[last].inlined) last++;
      sample->add_location_id(location(&stack[first], last - first + 1));
      first = last + 1;
    }
  }

  uint64_t location(const Frame* frames, size_t count) {
    const Frame& outer = frames[count - 1];
    std::string key = outer.module + '\0' + std::to_string(outer.module_offset);
    for (size_t i = 0; i < count; i++)
      key +=
          '\0' + frames[i].function + '\0' + frames[i].file + '\0' + std::to_string(frames[i].line);
    auto [at, is_new] = locations_.try_emplace(key, locations_.size() + 1);
    if (is_new) make_location(at->second, frames, count);
    return at->second;
  }

  void make_location(uint64_t id, const Frame* frames, size_t count) {
    auto made = profile_.add_location();
    made->set_id(id);
    for (size_t i = 0; i < count; i++) {
      auto line = made->add_line();
      line->set_function_id(function(frames[i]));
      line->set_line(frames[i].line);
    }
    const Frame& outer = frames[count - 1];
    if (outer.module.empty()) return;
    uint64_t where = mapping(outer.module);
    made->set_mapping_id(where);
    made->set_address(where * kMappingBytes + outer.module_offset);
  }

  uint64_t function(const Frame& frame) {
    auto [at, is_new] = functions_.try_emplace({frame.function, frame.file}, functions_.size() + 1);
    if (is_new) {
      auto made = profile_.add_function();
      made->set_id(at->second);
      made->set_name(text(frame.function));
      made->set_system_name(text(frame.function));
      made->set_filename(text(frame.file));
    }
    return at->second;
  }

  uint64_t mapping(const std::string& module) {
    auto [at, is_new] = mappings_.try_emplace(module, mappings_.size() + 1);
    if (is_new) {
      auto made = profile_.add_mapping();
      made->set_id(at->second);
      made->set_memory_start(at->second * kMappingBytes);
      made->set_memory_limit((at->second + 1) * kMappingBytes);
      made->set_filename(text(module));
      made->set_build_id(text(build_id(module)));
      made->set_has_functions(true);
      made->set_has_filenames(true);
      made->set_has_line_numbers(true);
      made->set_has_inline_frames(true);
    }
    return at->second;
  }

  std::string build_id(const std::string& path) const {
    for (const Module& module : result_.modules)
      if (module.path == path) return module.build_id;
    return "";
  }

  const Result& result_;
  pprof::Profile profile_;
  std::unordered_map<std::string, int64_t> texts_;
  std::unordered_map<std::string, uint64_t> locations_;
  std::map<std::pair<std::string, std::string>, uint64_t> functions_;
  std::unordered_map<std::string, uint64_t> mappings_;
};

}  // namespace

void export_pprof(std::ostream& out, const Result& result) {
  ProfileWriter writer(result);
  writer.name_after_program();
  Bill bill(result);
  for (const BillSample& sample : bill.samples()) writer.add(sample);
  out << gzip(writer.bytes());
}

}  // namespace ftprof
