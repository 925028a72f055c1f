// OpenMetrics text, for the textfile collector of Prometheus' node exporter. Everything is a gauge:
// the totals of one finished run, replaced by the next, which both OpenMetrics and the older text
// format accept under the same names.
#include <charconv>

#include "analyzer/escape.h"
#include "analyzer/export.h"

namespace ftprof {

namespace {

using Labels = std::vector<std::pair<const char*, std::string>>;

std::string number(double value) {
  char text[32];
  auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

// A label's value, quoted. printable() has left no line feed.
std::string quoted(const std::string& value) {
  std::string out = "\"";
  for (char c : printable(value)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

class Metrics {
 public:
  Metrics(std::ostream& out, std::string command) : out_(out), command_(std::move(command)) {}

  // A family's head; its samples follow. A unit must be the name's ending.
  void family(const char* name, const char* unit, const char* help) {
    name_ = name;
    out_ << "# TYPE " << name << " gauge\n";
    if (*unit) out_ << "# UNIT " << name << ' ' << unit << '\n';
    out_ << "# HELP " << name << ' ' << help << '\n';
  }

  void sample(double value, const Labels& labels = {}) {
    out_ << name_ << "{command=" << quoted(command_);
    for (const auto& [key, text] : labels) out_ << ',' << key << '=' << quoted(text);
    out_ << "} " << number(value) << '\n';
  }

  void one(const char* name, const char* unit, const char* help, double value) {
    family(name, unit, help);
    sample(value);
  }

 private:
  std::ostream& out_;
  std::string command_;
  const char* name_ = "";
};

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// The process only where there are several: its pid would make new series with every run.
Labels site_labels(const Site& site, const Result& result) {
  Labels labels = {{"site", site.id}};
  if (result.processes.size() > 1 && site.process < result.processes.size())
    labels.push_back({"pid", std::to_string(result.processes[site.process].pid)});
  if (site.top >= site.stack.size()) return labels;
  const Frame& frame = site.stack[site.top];
  labels.push_back({"function", frame.function});
  labels.push_back({"file", base_name(frame.file)});
  labels.push_back({"line", std::to_string(frame.line)});
  labels.push_back({"module", base_name(frame.module)});
  return labels;
}

void add_run(Metrics& metrics, const Result& result) {
  const Run& run = result.run;
  metrics.family("ftprof_run", "", "One for each run, its labels say how it was measured.");
  metrics.sample(1, {{"allocator", run.allocator_name},
                     {"kernel", run.kernel},
                     {"fault_source", run.fault_source},
                     {"fault_cost", run.fault_cost},
                     {"complete", run.complete ? "true" : "false"}});
  metrics.one("ftprof_run_start_time_seconds", "seconds", "When the run began, since the epoch.",
              static_cast<double>(run.start_unix_ns) / 1e9);
  metrics.one("ftprof_run_duration_seconds", "seconds", "How long the run took.",
              run.duration_ns / 1e9);
  metrics.one("ftprof_profiler_time_seconds", "seconds", "What ftprof itself spent.",
              run.profiler_self_ns / 1e9);
  metrics.one("ftprof_peak_resident_bytes", "bytes", "Most memory resident at once.",
              static_cast<double>(run.peak_resident_bytes));
  metrics.one("ftprof_lost_records", "", "Records that were lost.",
              static_cast<double>(run.lost_fault_records + run.lost_block_records));
}

void add_ledger(Metrics& metrics, const Ledger& ledger) {
  metrics.family("ftprof_faults", "", "Page faults by owner.");
  for (const LedgerRow& row : ledger.rows)
    metrics.sample(static_cast<double>(row.faults), {{"owner", owner_name(row.owner)}});
  metrics.family("ftprof_fault_time_seconds", "seconds", "Kernel time in faults by owner.");
  for (const LedgerRow& row : ledger.rows)
    if (row.cost_ns) metrics.sample(*row.cost_ns / 1e9, {{"owner", owner_name(row.owner)}});
}

void add_pool(Metrics& metrics, const Pool& pool) {
  metrics.family("ftprof_handouts", "", "Blocks handed out, by how much was resident.");
  const std::pair<const char*, uint64_t> classes[] = {{"fresh", pool.fresh},
                                                      {"warm", pool.warm},
                                                      {"partial", pool.partial},
                                                      {"cold", pool.cold},
                                                      {"unknown", pool.unknown}};
  for (const auto& [name, count] : classes)
    metrics.sample(static_cast<double>(count), {{"class", name}});
  metrics.one("ftprof_refaults_after_purge_pages", "pages", "Pages paid again after a purge.",
              static_cast<double>(pool.refaulted_after_purge_pages));
}

void add_sites(Metrics& metrics, const Result& result, size_t top) {
  const std::vector<Site>& sites = result.sites;
  size_t shown = std::min(top, sites.size());
  metrics.family("ftprof_site_faults", "", "Page faults of the dearest allocation sites.");
  for (size_t i = 0; i < shown; i++)
    metrics.sample(static_cast<double>(sites[i].faults.count), site_labels(sites[i], result));
  metrics.family("ftprof_site_fault_time_seconds", "seconds",
                 "Kernel time in faults of the dearest allocation sites.");
  for (size_t i = 0; i < shown; i++)
    metrics.sample(sites[i].cost.total_ns / 1e9, site_labels(sites[i], result));
}

}  // namespace

void export_openmetrics(std::ostream& out, const Result& result, size_t top) {
  Metrics metrics(out, result.run.command.empty() ? "" : base_name(result.run.command[0]));
  add_run(metrics, result);
  add_ledger(metrics, result.ledger);
  add_pool(metrics, result.pool);
  add_sites(metrics, result, top);
  out << "# EOF\n";
}

}  // namespace ftprof
