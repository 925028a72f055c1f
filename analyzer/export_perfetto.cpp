// The Chrome trace format, which ui.perfetto.dev and chrome://tracing open: a track per thread with
// slices of faults, counters of resident memory, marks. Times are microseconds since the run began.
//
// A track's slices must nest, so one is drawn no further than where its thread's next begins; its
// arguments carry the exact figures.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "analyzer/escape.h"
#include "analyzer/export.h"

namespace ftprof {

namespace {

using Json = nlohmann::json;

constexpr uint32_t kUnknownTid = 0;

double us(double ns) {
  return ns / 1000;
}

// Writes events one by one: a trace of a long run is never held as a whole.
class Events {
 public:
  explicit Events(std::ostream& out) : out_(out) {
    out_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  }
  void add(const Json& event) {
    out_ << (std::exchange(first_, false) ? "" : ",\n") << event.dump();
  }
  void end(const Json& about) { out_ << "\n],\"otherData\":" << about.dump() << "}\n"; }

 private:
  std::ostream& out_;
  bool first_ = true;
};

struct Track {
  uint32_t pid = 0, tid = kUnknownTid;
  auto operator<=>(const Track&) const = default;
};

Track track_of(const Result& result, const FaultSlice& slice) {
  Track track;
  if (slice.process < result.processes.size()) track.pid = result.processes[slice.process].pid;
  if (slice.thread < result.threads.size()) track.tid = result.threads[slice.thread].tid;
  return track;
}

std::string site_name(const Result& result, const FaultSlice& slice) {
  if (slice.site >= result.sites.size()) return owner_name(slice.owner);
  const Site& site = result.sites[slice.site];
  return site.top < site.stack.size() ? printable(site.stack[site.top].function) : "(no stack)";
}

Json arguments(const Result& result, const FaultSlice& slice) {
  Json args = {{"faults", slice.faults},
               {"fault_time_ns", std::llround(slice.cost_ns)},
               {"owner", owner_name(slice.owner)}};
  if (slice.site >= result.sites.size()) return args;
  const Site& site = result.sites[slice.site];
  args["site"] = site.id;
  if (slice.touch_site < site.touch_sites.size())
    args["touched_by"] = printable(site.touch_sites[slice.touch_site].frame.function);
  return args;
}

void add_name(Events& events, const char* what, Track track, const std::string& text) {
  events.add({{"ph", "M"},
              {"name", what},
              {"pid", track.pid},
              {"tid", track.tid},
              {"args", {{"name", printable(text)}}}});
}

void add_names(Events& events, const Result& result) {
  for (const Process& process : result.processes)
    add_name(events, "process_name", {process.pid, 0},
             process.rank.empty() ? process.name : process.name + " rank " + process.rank);
  for (const Thread& thread : result.threads)
    if (thread.process < result.processes.size())
      add_name(events, "thread_name", {result.processes[thread.process].pid, thread.tid},
               thread.name);
}

void add_slices(Events& events, const Result& result) {
  std::map<Track, std::vector<const FaultSlice*>> tracks;
  for (const FaultSlice& slice : result.slices) tracks[track_of(result, slice)].push_back(&slice);
  for (auto& [track, slices] : tracks) {
    std::stable_sort(slices.begin(), slices.end(),
                     [](auto* a, auto* b) { return a->begin_ns < b->begin_ns; });
    if (track.tid == kUnknownTid) add_name(events, "thread_name", track, "(thread unknown)");
    for (size_t i = 0; i < slices.size(); i++) {
      const FaultSlice& slice = *slices[i];
      double end = slice.end_ns;
      if (i + 1 < slices.size()) end = std::min(end, slices[i + 1]->begin_ns);
      events.add({{"ph", "X"},
                  {"cat", "fault"},
                  {"name", site_name(result, slice)},
                  {"pid", track.pid},
                  {"tid", track.tid},
                  {"ts", us(slice.begin_ns)},
                  {"dur", us(std::max(0.0, end - slice.begin_ns))},
                  {"args", arguments(result, slice)}});
    }
  }
}

void add_counters(Events& events, const Result& result) {
  uint32_t pid = result.processes.empty() ? 0 : result.processes[0].pid;
  auto counter = [&](const char* name, size_t interval, const char* unit, const Json& value) {
    events.add({{"ph", "C"},
                {"name", name},
                {"pid", pid},
                {"ts", us(result.timeline.interval_ns * static_cast<double>(interval))},
                {"args", {{unit, value}}}});
  };
  for (size_t i = 0; i < result.timeline.resident_bytes.size(); i++)
    counter("resident", i, "bytes", result.timeline.resident_bytes[i]);
  for (size_t i = 0; i < result.timeline.faults.size(); i++)
    counter("faults per interval", i, "faults", result.timeline.faults[i]);
  for (size_t i = 0; i < result.pool.over_time.size(); i++)
    counter("idle in given-back blocks", i, "bytes", result.pool.over_time[i].idle_bytes);
}

void add_marks(Events& events, const Result& result) {
  uint32_t pid = result.processes.empty() ? 0 : result.processes[0].pid;
  auto mark = [&](const std::string& name, double at_ns) {
    events.add({{"ph", "i"},
                {"s", "g"},
                {"cat", "mark"},
                {"name", printable(name)},
                {"pid", pid},
                {"tid", pid},
                {"ts", us(at_ns)}});
  };
  for (const Phase& phase : result.phases) mark(phase.name, phase.begin_ns);
  if (result.timeline.warmup_end_ns) mark("warm-up ends", *result.timeline.warmup_end_ns);
}

}  // namespace

void export_perfetto(std::ostream& out, const Result& result) {
  Events events(out);
  add_names(events, result);
  add_slices(events, result);
  add_counters(events, result);
  add_marks(events, result);
  events.end({{"exporter", "ftprof"},
              {"fault_source", result.run.fault_source},
              {"fault_cost", result.run.fault_cost}});
}

}  // namespace ftprof
