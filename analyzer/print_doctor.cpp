// The two printers of `ftprof doctor`.
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "analyzer/doctor.h"
#include "analyzer/escape.h"
#include "analyzer/quantity.h"

namespace ftprof {
namespace {

using Json = nlohmann::ordered_json;

[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...) {
  char buffer[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

std::string row(const std::string& name, const std::string& value) {
  return formatted("  %-22s ", name.c_str()) + printable(value) + "\n";
}

std::string or_unknown(const std::string& text) {
  return text.empty() ? "unknown" : text;
}

std::string faults_section(const Diagnosis& diagnosis) {
  const PerfVerdict& perf = diagnosis.perf;
  const Machine& machine = diagnosis.machine;
  std::string residency = machine.pagemap_scan       ? "PAGEMAP_SCAN"
                          : machine.pagemap_readable ? "/proc/self/pagemap"
                                                     : "mincore only";
  std::string text = "Where faults come from\n";
  text += row("faults.source=auto is", diagnosis.source);
  text +=
      row("perf", perf.permitted ? "permitted, rings of " + bytes_text(perf.ring_bytes) + " per CPU"
                                 : "refused: " + diagnosis.perf_why);
  text += row("residency", residency);
  return text;
}

std::string limits_section(const Machine& machine) {
  auto bytes = [](const std::optional<uint64_t>& value, const char* without) {
    return value ? bytes_text(*value) : std::string(without);
  };
  static constexpr const char* kSeccomp[] = {"off", "strict", "a filter"};
  std::string paranoid = machine.paranoid ? std::to_string(*machine.paranoid) : "unknown";
  if (machine.may_perf) paranoid += " (CAP_PERFMON in effect: no matter)";
  std::string text = "\nLimits\n";
  text += row("perf_event_paranoid", paranoid);
  text += row("perf_event_mlock_kb", bytes(machine.perf_mlock_bytes, "unknown") + " per CPU");
  text += row("locked memory", bytes(machine.memlock_bytes, "unlimited"));
  text += row("open files", std::to_string(machine.open_files));
  text +=
      row("seccomp", kSeccomp[machine.seccomp >= 0 && machine.seccomp < 3 ? machine.seccomp : 0]);
  text += row("container", machine.container.empty() ? "none seen" : machine.container);
  return text;
}

std::string machine_section(const Machine& machine) {
  std::string huge = machine.huge_page_bytes ? bytes_text(*machine.huge_page_bytes) : "none";
  std::string text = "\nMachine\n";
  text += row("kernel", machine.kernel + " on " + machine.architecture);
  text += row("CPUs, NUMA nodes", formatted("%u, %u", machine.cpus, machine.numa_nodes));
  text += row("pages", bytes_text(machine.page_bytes) + ", huge " + huge);
  text += row("transparent huge pages",
              or_unknown(machine.thp_enabled) + ", defrag " + or_unknown(machine.thp_defrag));
  return text;
}

std::string price_text(const std::optional<PriceEstimate>& price, const char* without) {
  return price ? formatted("%9.1f ± %.1f ns", price->ns, price->error_ns) : std::string(without);
}

std::string prices_section(const Prices& prices) {
  std::string text = "\nWhat one fault costs here, trap included\n";
  for (const KindPrice& kind : prices.kinds)
    text += row(kind.kind, price_text(kind.price, "        – (did not happen)"));
  text += "\nWhat recording adds to each first write\n";
  for (const ModePrice& mode : prices.modes) {
    std::string added = price_text(mode.added, "        – (refused)");
    if (mode.added) added += formatted(", a first-touch loop %.2f times as long", mode.ratio);
    text += formatted("  %-34s ", mode.mode.c_str()) + added + "\n";
  }
  text += "  faults.period=auto keeps within overhead.budget by recording in bursts.\n";
  return text;
}

std::string remedies_section(const std::vector<Remedy>& remedies) {
  if (remedies.empty()) return "\nNothing to improve: everything that ftprof can use is allowed.\n";
  std::string text = "\nTo get more\n";
  for (const Remedy& remedy : remedies)
    text += "  " + remedy.why + ":\n      " + remedy.command + "\n";
  return text;
}

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json price_json(const std::optional<PriceEstimate>& price, const char* name) {
  Json json;
  json[name] = price ? Json(price->ns) : Json(nullptr);
  json["error_ns"] = price ? Json(price->error_ns) : Json(nullptr);
  return json;
}

Json prices_json(const Prices& prices) {
  Json kinds = Json::array(), modes = Json::array();
  for (const KindPrice& kind : prices.kinds) {
    Json json = {{"kind", kind.kind}};
    json.update(price_json(kind.price, "price_ns"));
    kinds.push_back(json);
  }
  for (const ModePrice& mode : prices.modes) {
    Json json = {{"settings", mode.mode}};
    json.update(price_json(mode.added, "added_ns"));
    json["ratio"] = mode.added ? Json(mode.ratio) : Json(nullptr);
    modes.push_back(json);
  }
  return {{"prices", kinds}, {"modes", modes}};
}

Json machine_json(const Machine& machine) {
  return {
      {"kernel", machine.kernel},
      {"architecture", machine.architecture},
      {"cpus", machine.cpus},
      {"numa_nodes", machine.numa_nodes},
      {"memory_bytes", machine.memory_bytes},
      {"page_bytes", machine.page_bytes},
      {"huge_page_bytes", or_null(machine.huge_page_bytes)},
      {"thp", {{"enabled", or_null(machine.thp_enabled)}, {"defrag", or_null(machine.thp_defrag)}}},
      {"container", or_null(machine.container)}};
}

Json limits_json(const Machine& machine) {
  return {{"perf_event_paranoid", or_null(machine.paranoid)},
          {"perf_event_mlock_bytes", or_null(machine.perf_mlock_bytes)},
          {"memlock_bytes", or_null(machine.memlock_bytes)},
          {"open_files", machine.open_files},
          {"seccomp", machine.seccomp},
          {"no_new_privs", machine.no_new_privs},
          {"capability_perfmon", machine.may_perf}};
}

Json perf_json(const Diagnosis& diagnosis) {
  const PerfVerdict& perf = diagnosis.perf;
  return {{"permitted", perf.permitted},
          {"ring_bytes", perf.permitted ? Json(perf.ring_bytes) : Json(nullptr)},
          {"call", or_null(perf.call)},
          {"errno", perf.error ? Json(perf.error) : Json(nullptr)},
          {"why", or_null(diagnosis.perf_why)}};
}

}  // namespace

std::string doctor_text(const Diagnosis& diagnosis) {
  return faults_section(diagnosis) + limits_section(diagnosis.machine) +
         machine_section(diagnosis.machine) + prices_section(diagnosis.prices) +
         remedies_section(diagnosis.remedies);
}

std::string doctor_json(const Diagnosis& diagnosis) {
  Json json = {{"schema", "ftprof.doctor/1"},
               {"source", diagnosis.source},
               {"perf", perf_json(diagnosis)},
               {"residency",
                {{"pagemap_scan", diagnosis.machine.pagemap_scan},
                 {"pagemap_readable", diagnosis.machine.pagemap_readable}}},
               {"limits", limits_json(diagnosis.machine)},
               {"machine", machine_json(diagnosis.machine)},
               {"calibration", prices_json(diagnosis.prices)},
               {"remedies", Json::array()}};
  for (const Remedy& remedy : diagnosis.remedies)
    json["remedies"].push_back({{"why", remedy.why}, {"command", remedy.command}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ftprof
