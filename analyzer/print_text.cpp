#include "analyzer/print_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analyzer/text_writer.h"

namespace ftprof {
namespace {

std::string command_text(const Run& run) {
  std::string text;
  for (const std::string& word : run.command) text += (text.empty() ? "" : " ") + printable(word);
  return text.empty() ? "(unknown command)" : text;
}

uint64_t faults_of(const Ledger& ledger, Owner owner) {
  for (const LedgerRow& row : ledger.rows)
    if (row.owner == owner) return row.faults;
  return 0;
}

// How many of the program's own faults the trace holds one by one; a report without that figure
// says how many each one stands for.
double recorded_share(const Result& result) {
  const Ledger& ledger = result.ledger;
  uint64_t all = ledger.minor_faults + ledger.major_faults;
  uint64_t own = all - std::min(all, faults_of(ledger, Owner::profiler));
  double recorded = static_cast<double>(result.run.recorded_faults);
  if (recorded <= 0 || own == 0) return 1 / std::max(1.0, result.run.fault_period);
  return std::min(1.0, recorded / static_cast<double>(own));
}

// How the costs are known, in the reader's words.
std::string how_known(const Result& result) {
  const Run& run = result.run;
  if (run.fault_cost == "modelled")
    return run.fault_source == "perf"
               ? "modelled: a calibrated price for each kind of fault"
               : "modelled: pages looked up, a calibrated price for each kind";
  constexpr double kAll = 0.98, kMost = 0.5;
  double share = recorded_share(result);
  if (share >= kAll) return "measured, every fault recorded";
  if (share >= kMost) return "measured on " + share_figure(share) + " of the faults, scaled";
  return "measured on 1 in " + exact_figure(std::round(10 / share) / 10) + " faults, scaled";
}

// ", 1,670 of them ftprof's own" where leaving that out would mislead.
std::string own_part(const Ledger& ledger) {
  uint64_t own = faults_of(ledger, Owner::profiler);
  if (own * 100 < ledger.minor_faults) return "";
  return ", " + count_text(own) + " of them ftprof's own";
}

// Fault time is time on the clock: it may be more than the CPU time where faults had to wait.
std::string cpu_share(const Result& result) {
  double cpu = result.run.user_ns + result.run.system_ns;
  if (cpu <= 0) return "";
  if (result.ledger.cost_ns <= cpu)
    return ", " + percent(result.ledger.cost_ns, cpu) + " of the CPU time";
  return ", more than the CPU time of " + time_figure(cpu);
}

std::string cost_error(const Result& result) {
  double variance = 0;
  for (const Site& site : result.sites)
    if (site.cost.error_ns) variance += *site.cost.error_ns * *site.cost.error_ns;
  return variance > 0 ? " ± " + time_figure(std::sqrt(variance)) : "";
}

double cost_of_sites(const Result& result) {
  double all = 0;
  for (const Site& site : result.sites) all += site.cost.total_ns;
  return all;
}

// The least number of sites that make 95 % of the bill.
size_t sites_of_bill(const Result& result) {
  double all = cost_of_sites(result), sum = 0;
  for (size_t i = 0; i < result.sites.size(); ++i) {
    if (all <= 0 || sum >= 0.95 * all) return i;
    sum += result.sites[i].cost.total_ns;
  }
  return result.sites.size();
}

void print_bill(const Result& result, TextWriter& writer) {
  const Run& run = result.run;
  const Ledger& ledger = result.ledger;
  writer.line(writer.bold(fit("ftprof report: " + command_text(run), writer.view().width)));
  std::string faults = plural(ledger.minor_faults, "first-touch fault", "first-touch faults") +
                       " in " + time_figure(run.duration_ns);
  if (run.processes > 1) faults += " over " + plural(run.processes, "process", "processes");
  faults += own_part(ledger);
  if (ledger.major_faults)
    faults += ", and " + plural(ledger.major_faults, "major fault", "major faults");
  writer.flow("Faults  " + faults + ".", 0, 8);
  writer.flow("Cost    " + time_figure(ledger.cost_ns) + cost_error(result) + cpu_share(result) +
                  " (" + how_known(result) + ").",
              0, 8);
  double bytes = 0;
  uint64_t blocks = 0;
  for (const Site& site : result.sites)
    bytes += static_cast<double>(site.blocks.bytes), blocks += site.blocks.count;
  size_t dear = sites_of_bill(result);
  std::string sites = plural(result.sites.size(), "site", "sites") + " asked for " +
                      plural(blocks, "block", "blocks") + " (" + bytes_figure(bytes) + ")";
  if (blocks)
    sites += " and paid " + percent(cost_of_sites(result), ledger.cost_ns) + " of the cost";
  if (dear && dear < result.sites.size())
    sites += "; " + count_text(dear) + (dear == 1 ? " makes" : " make") + " 95 % of that";
  writer.flow("Sites   " + sites + ".", 0, 8);
}

void print_ledger(const Result& result, TextWriter& writer) {
  const Ledger& ledger = result.ledger;
  writer.heading("Ledger: every fault has one owner (" + share_figure(ledger.accounted_share) +
                 " accounted for)");
  writer.line(writer.dim(pad_right("  owner", 20) + pad_left("faults", 14) + pad_left("share", 10) +
                         pad_left("cost", 12)));
  auto all = static_cast<double>(ledger.minor_faults + ledger.major_faults);
  for (const LedgerRow& row : ledger.rows) {
    std::string name = owner_name(row.owner);
    std::replace(name.begin(), name.end(), '_', ' ');
    writer.line(pad_right("  " + name, 20) + pad_left(count_text(row.faults), 14) +
                pad_left(percent(static_cast<double>(row.faults), all), 10) +
                pad_left(row.cost_ns ? time_figure(*row.cost_ns) : "–", 12) +
                (row.error ? "  ± " + count_figure(*row.error) + " faults" : ""));
  }
  writer.line(pad_right("  all (getrusage)", 20) + pad_left(count_figure(all), 14) +
              pad_left("", 10) + pad_left(time_figure(ledger.cost_ns), 12));
}

// Processes without a tracked block, and what forked shells paid before they became one.
void print_untraced(const Ledger& ledger, TextWriter& writer) {
  constexpr double kWorthSaying = 0.01;
  if (!ledger.untraced_faults || !ledger.run_faults) return;
  auto untraced = static_cast<double>(*ledger.untraced_faults);
  if (untraced < kWorthSaying * static_cast<double>(*ledger.run_faults)) return;
  writer.line(pad_right("  without a trace", 20) + pad_left(count_figure(untraced), 14));
  writer.line(pad_right("  all of the run", 20) + pad_left(count_text(*ledger.run_faults), 14));
  writer.flow("Without a trace are processes that asked for no block of blocks.min_size.", 2, 2);
}

void print_heap_touchers(const Result& result, TextWriter& writer) {
  const auto& touches = result.ledger.small_heap_touch_sites;
  if (touches.empty()) return;
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(3, touches.size()); ++i)
    text += (i ? "; " : "") + frame_text(touches[i].frame) + " (" +
            plural(touches[i].faults, "fault", "faults") + ")";
  writer.flow("The small heap was touched by " + text + ".", 2, 2);
}

void print_sites(const Result& result, TextWriter& writer) {
  if (result.sites.empty()) {
    writer.heading("Sites");
    writer.flow("No tracked block was handed out: none was as large as blocks.min_size.", 2);
    return;
  }
  size_t shown = writer.view().all   ? result.sites.size()
                 : writer.view().top ? writer.view().top
                                     : std::max<size_t>(1, sites_of_bill(result));
  shown = std::min(shown, result.sites.size());
  writer.heading("Sites, dearest first, with their share of the blocks' " +
                 time_figure(cost_of_sites(result)));
  for (size_t i = 0; i < shown; ++i) print_site_text(result, result.sites[i], i + 1, writer);
  if (shown == result.sites.size()) return;
  double rest = 0;
  for (size_t i = shown; i < result.sites.size(); ++i) rest += result.sites[i].cost.total_ns;
  writer.line("  " + plural(result.sites.size() - shown, "more site costs ", "more sites cost ") +
              time_figure(rest) + "; --all shows them.");
}

void print_marks(const Result& result, TextWriter& writer) {
  constexpr size_t kFigures = 50;  // columns of what stands behind the name
  size_t name = std::min<size_t>(30, writer.view().width - kFigures - 2);
  writer.line(writer.dim(pad_right("  phase", name + 2) + pad_left("from", 11) +
                         pad_left("to", 11) + pad_left("faults", 14) + pad_left("cost", 12)));
  for (const Phase& phase : result.phases)
    writer.line(pad_right("  " + fit(printable(phase.name), name - 2), name + 2) +
                pad_left(time_figure(phase.begin_ns), 11) +
                pad_left(time_figure(phase.end_ns), 11) + pad_left(count_text(phase.faults), 14) +
                pad_left(time_figure(phase.cost_ns), 12));
}

void print_phases(const Result& result, TextWriter& writer) {
  const Timeline& timeline = result.timeline;
  bool marks = result.phases.size() > 1;
  if (!marks && !timeline.warmup_end_ns) return;
  writer.heading("Phases");
  if (marks) print_marks(result, writer);
  if (!timeline.warmup_end_ns) return;
  uint64_t before = 0, all = 0;
  for (size_t i = 0; i < timeline.faults.size(); ++i) {
    all += timeline.faults[i];
    if (static_cast<double>(i) * timeline.interval_ns < *timeline.warmup_end_ns)
      before += timeline.faults[i];
  }
  writer.flow(
      "The fault rate settled " + time_figure(*timeline.warmup_end_ns) +
          " after the start: " + percent(static_cast<double>(before), static_cast<double>(all)) +
          " of the recorded faults lie before.",
      2, 2);
}

void print_huge(const Result& result, TextWriter& writer) {
  const HugePages& huge = result.huge;
  if (huge.huge_faults == 0 && huge.why_not.empty()) return;
  writer.heading("Huge pages");
  std::string text = plural(huge.huge_faults, "fault", "faults") + " mapped a huge page.";
  if (huge.could_be_huge_pages)
    text += " " + plural(huge.could_be_huge_pages, "page", "pages") +
            " of small size lie in whole aligned ranges that could have been huge. " +
            printable(huge.why_not);
  writer.flow(text, 2);
}

// The spread over the ranks of a parallel job, and the one that stands out.
void print_ranks(const std::vector<const Process*>& dearest_first, TextWriter& writer) {
  std::vector<const Process*> ranks;
  for (const Process* process : dearest_first)
    if (!process->rank.empty()) ranks.push_back(process);
  if (ranks.size() < 2) return;
  double most = ranks.front()->cost_ns, median = ranks[ranks.size() / 2]->cost_ns;
  std::string text = plural(ranks.size(), "rank", "ranks") + " paid " +
                     time_figure(ranks.back()->cost_ns) + " to " + time_figure(most) + ", " +
                     time_figure(median) + " in the median";
  if (most > 1.5 * median) text += "; rank " + printable(ranks.front()->rank) + " is the outlier";
  writer.flow(text + ".", 2, 2);
}

void print_processes(const Result& result, TextWriter& writer) {
  if (result.processes.size() < 2) return;
  writer.heading("Processes, dearest first");
  std::vector<const Process*> order;
  for (const Process& process : result.processes) order.push_back(&process);
  std::stable_sort(order.begin(), order.end(),
                   [](auto* a, auto* b) { return a->cost_ns > b->cost_ns; });
  for (size_t i = 0; i < std::min<size_t>(5, order.size()); ++i) {
    const Process& process = *order[i];
    std::string name = printable(process.name) +
                       (process.rank.empty() ? "" : " rank " + printable(process.rank)) + " (" +
                       std::to_string(process.pid) + ")";
    writer.line("  " + pad_right(fit(name, 40), 42) +
                pad_left(count_text(process.minor_faults), 14) + " faults" +
                pad_left(time_figure(process.cost_ns), 12));
  }
  print_ranks(order, writer);
  if (order.size() > 5)
    writer.line("  " + count_text(order.size() - 5) + " more; --by process lists them.");
}

void print_notes(const Result& result, TextWriter& writer) {
  const Run& run = result.run;
  writer.heading("Notes");
  constexpr double kSurely = 1.25, kTick = 10e6;  // CPU time may be counted in ticks
  if (double system = run.system_ns; system > 0 && result.ledger.cost_ns > kSurely * system + kTick)
    writer.flow("- The faults took longer than the whole kernel time of " + time_figure(system) +
                    ": some waited for a CPU or a disk that others had.",
                2, 2);
  std::string self = "ftprof itself took " + time_figure(run.profiler_self_ns) + " (" +
                     share_figure(run.profiler_self_share) + " of the program's CPU time).";
  writer.flow("- " + self, 2, 2);
  for (const std::string& note : run.notes) writer.flow("- " + printable(note), 2, 2);
  constexpr size_t kMost = 10;
  for (size_t i = 0; i < std::min(kMost, run.warnings.size()); ++i)
    writer.flow("- " + printable(run.warnings[i]), 2, 2);
  if (run.warnings.size() > kMost)
    writer.flow(
        "- " + count_text(run.warnings.size() - kMost) + " more warnings are in the JSON report.",
        2, 2);
}

}  // namespace

void print_text(const Result& result, const TextView& view, std::ostream& out) {
  TextWriter writer(out, view);
  print_bill(result, writer);
  print_ledger(result, writer);
  print_untraced(result.ledger, writer);
  print_heap_touchers(result, writer);
  if (view.by == By::site) {
    print_processes(result, writer);
    print_sites(result, writer);
    print_pool_text(result, writer);
    print_huge(result, writer);
    print_phases(result, writer);
  } else {
    print_by_text(result, writer);
  }
  print_notes(result, writer);
}

}  // namespace ftprof
