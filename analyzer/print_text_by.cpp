// The text report by something else than site: one table, dearest first.
#include <algorithm>
#include <map>

#include "analyzer/report_fields.h"
#include "analyzer/site_sum.h"
#include "analyzer/table.h"
#include "analyzer/text_writer.h"

namespace ftprof {
namespace {

struct Row {
  std::string name, place;  // the place is shown in full
  uint64_t faults = 0;
  double cost_ns = 0;
  std::string more;
};

void print_rows(std::vector<Row> rows, const std::string& title, const std::string& more,
                TextWriter& writer) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.cost_ns != b.cost_ns ? a.cost_ns > b.cost_ns : a.faults > b.faults;
  });
  double all = 0;
  for (const Row& row : rows) all += row.cost_ns;
  const TextView& view = writer.view();
  size_t shown = view.all ? rows.size() : std::min(rows.size(), view.top ? view.top : 40);
  constexpr size_t kMargin = 2, kFigures = 12 + 12 + 9;
  size_t more_width = more.empty() ? 0 : 28;
  size_t taken = kMargin + kFigures + (more.empty() ? 0 : kMargin + more_width);
  size_t name_width = view.width > taken + 24 ? view.width - taken : 24;
  writer.heading("By " + title + ", dearest first");
  writer.line(writer.dim(pad_right("  " + title, name_width + 2) + pad_left("faults", 12) +
                         pad_left("cost", 12) + pad_left("share", 9) +
                         (more.empty() ? "" : "  " + more)));
  for (size_t i = 0; i < shown; ++i) {
    const Row& row = rows[i];
    std::string place = row.place.empty() ? "" : "  " + row.place;
    writer.line(pad_right("  " + fit_head(row.name, place, name_width), name_width + 2) +
                pad_left(count_text(row.faults), 12) + pad_left(time_figure(row.cost_ns), 12) +
                pad_left(percent(row.cost_ns, all), 9) +
                (more.empty() ? "" : "  " + fit(row.more, more_width)));
  }
  if (shown < rows.size())
    writer.line("  " + count_text(rows.size() - shown) + " more; --all shows them.");
}

void by_touch(const Result& result, TextWriter& writer) {
  std::map<std::string, Row> rows;
  auto add = [&rows](const TouchSite& touch, const std::string& whose) {
    Row& row = rows[frame_text(touch.frame)];
    row.name = printable(shown_function(touch.frame));
    row.place = place_text(touch.frame);
    if (row.cost_ns == 0) row.more = whose;
    row.faults += touch.faults;
    row.cost_ns += touch.cost_ns;
  };
  for (const Site& site : result.sites)
    for (const TouchSite& touch : site.touch_sites)
      add(touch, "blocks of " + printable(shown_function(own_frame(site))));
  for (const TouchSite& touch : result.ledger.small_heap_touch_sites) add(touch, "small heap");
  std::vector<Row> list;
  for (auto& [key, row] : rows) list.push_back(std::move(row));
  print_rows(std::move(list), "touch site", "first touches of", writer);
}

void by_module(const Result& result, TextWriter& writer) {
  std::map<std::string, Row> rows;
  for (const Site& site : result.sites) {
    Row& row = rows[own_frame(site).module];
    row.faults += site.faults.count;
    row.cost_ns += site.cost.total_ns;
  }
  std::vector<Row> list;
  for (auto& [name, row] : rows) {
    row.name = name.empty() ? "(unknown)" : printable(name);
    list.push_back(row);
  }
  print_rows(std::move(list), "module", "", writer);
}

void by_thread(const Result& result, TextWriter& writer) {
  std::vector<Row> rows;
  for (const Thread& thread : result.threads) {
    if (thread.faults == 0) continue;
    std::string process = thread.process < result.processes.size()
                              ? printable(result.processes[thread.process].name)
                              : "";
    rows.push_back({thread_text(thread.name, thread.tid), "", thread.faults, thread.cost_ns,
                    process + " " + std::to_string(thread.tid)});
  }
  print_rows(std::move(rows), "thread", "process, tid", writer);
}

void by_process(const Result& result, TextWriter& writer) {
  std::vector<Row> rows;
  for (const Process& process : result.processes) {
    std::string name =
        printable(process.name) + (process.rank.empty() ? "" : " rank " + printable(process.rank));
    rows.push_back({name + " (" + std::to_string(process.pid) + ")", "", process.minor_faults,
                    process.cost_ns,
                    time_figure(process.duration_ns) + ", " +
                        bytes_figure(static_cast<double>(process.peak_resident_bytes))});
  }
  print_rows(std::move(rows), "process", "duration, peak resident", writer);
}

void by_phase(const Result& result, TextWriter& writer) {
  std::vector<Row> rows;
  for (const Phase& phase : result.phases)
    rows.push_back({printable(phase.name), "", phase.faults, phase.cost_ns,
                    time_figure(phase.begin_ns) + " to " + time_figure(phase.end_ns)});
  print_rows(std::move(rows), "phase", "from, to", writer);
}

std::string site_name(const Result& result, const std::string& id) {
  for (const Site& site : result.sites)
    if (site.id == id) return printable(shown_function(own_frame(site)));
  return id;
}

void by_pool(const Result& result, TextWriter& writer) {
  print_pool_text(result, writer);
  const Pool& pool = result.pool;
  if (result.run.numa_nodes < 2)
    writer.flow("This machine is one NUMA node: placement was not looked up.", 2, 2);
  if (!pool.feeds.empty()) writer.heading("Whose pages went to whom");
  for (const Feed& feed : pool.feeds) {
    writer.line("  " + pad_left(count_text(feed.pages), 12) + " pages in " +
                plural(feed.handouts, "hand-out", "hand-outs") + ": " +
                fit(site_name(result, feed.from_site), 28) + " → " +
                fit(site_name(result, feed.to_site), 28));
    if (feed.cross_node_pages)
      writer.line("  " + pad_left(count_text(feed.cross_node_pages), 12) +
                  " of them on another node than the new holder's");
  }
  if (!pool.longest_idle.empty()) writer.heading("Resident and idle for longest");
  for (const IdleBlock& idle : pool.longest_idle)
    writer.line("  " + pad_left(bytes_figure(static_cast<double>(idle.resident_bytes)), 12) +
                pad_left(time_figure(idle.idle_ns), 12) + "  last of " +
                fit(site_name(result, idle.site), 50));
  writer.heading("Hand-outs by site");
  writer.line(writer.dim(pad_right("  site", 32) + pad_left("fresh", 10) + pad_left("warm", 10) +
                         pad_left("partial", 10) + pad_left("cold", 10) + pad_left("refaults", 12) +
                         pad_left("cost", 11)));
  size_t most = writer.view().all   ? result.sites.size()
                : writer.view().top ? writer.view().top
                                    : 40;
  for (size_t i = 0; i < std::min(most, result.sites.size()); ++i) {
    const Site& site = result.sites[i];
    const Reuse& reuse = site.reuse;
    writer.line(pad_right("  " + fit(printable(shown_function(own_frame(site))), 28), 32) +
                pad_left(count_text(reuse.fresh), 10) + pad_left(count_text(reuse.warm), 10) +
                pad_left(count_text(reuse.partial), 10) + pad_left(count_text(reuse.cold), 10) +
                pad_left(count_text(reuse.refaulted_after_purge_pages), 12) +
                pad_left(time_figure(reuse.refault_cost_ns), 11));
  }
}

}  // namespace

void print_by_text(const Result& result, TextWriter& writer) {
  switch (writer.view().by) {
    case By::touch:
      return by_touch(result, writer);
    case By::thread:
      return by_thread(result, writer);
    case By::module:
      return by_module(result, writer);
    case By::process:
      return by_process(result, writer);
    case By::phase:
      return by_phase(result, writer);
    case By::pool:
      return by_pool(result, writer);
    case By::site:
      return;
  }
}

}  // namespace ftprof
