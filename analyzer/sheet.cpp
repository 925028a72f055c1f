#include "analyzer/sheet.h"

#include <algorithm>
#include <map>

#include "analyzer/figures.h"
#include "analyzer/report_fields.h"

namespace ftprof {

namespace {

using Cell = Sheet::Cell;

Cell number(uint64_t count) {
  return std::optional(static_cast<double>(count));
}
Cell figure_of(double value) {
  return std::optional(value);
}
Cell figure_of(const std::optional<double>& value) {
  return value;
}

// Builds a row column by column; the first row names the columns.
template <class T>
struct Field {
  Sheet::Column column;
  Cell (*of)(const T&);
};

template <class T, class Items>
Sheet sheet_of(const Items& items, const std::vector<Field<T>>& fields) {
  Sheet sheet;
  for (const Field<T>& field : fields) sheet.columns.push_back(field.column);
  for (const T& item : items) {
    auto& row = sheet.rows.emplace_back();
    for (const Field<T>& field : fields) row.push_back(field.of(item));
  }
  return sheet;
}

std::string kinds_of(const Site& site) {
  std::string kinds;
  for (const Advice& advice : site.advice) kinds += (kinds.empty() ? "" : " ") + advice.kind;
  return kinds;
}

// What every sheet of sites begins with.
std::vector<Field<Site>> with_head(const std::vector<Field<Site>>& rest) {
  using S = const Site&;
  std::vector<Field<Site>> fields = {
      {{"faults", "faults"}, [](S s) { return number(s.faults.count); }},
      {{"cost_ns", "cost", Unit::ns}, [](S s) { return figure_of(s.cost.total_ns); }},
      {{"site", "site", {}, true}, [](S s) { return Cell(site_label(s)); }},
      {{"id", ""}, [](S s) { return Cell(s.id); }}};
  fields.insert(fields.end(), rest.begin(), rest.end());
  return fields;
}

Sheet by_site(const Result& result) {
  using S = const Site&;
  static const std::vector<Field<Site>> fields = with_head(
      {{{"function", ""}, [](S s) { return Cell(own_frame(s).function); }},
       {{"file", ""}, [](S s) { return Cell(own_frame(s).file); }},
       {{"line", ""}, [](S s) { return number(own_frame(s).line); }},
       {{"module", ""}, [](S s) { return Cell(own_frame(s).module); }},
       {{"api", ""}, [](S s) { return Cell(s.api); }},
       {{"stack", ""}, [](S s) { return Cell(stack_line(s, s.stack.size())); }},
       {{"blocks", "blocks"}, [](S s) { return number(s.blocks.count); }},
       {{"bytes", "bytes", Unit::bytes}, [](S s) { return number(s.blocks.bytes); }},
       {{"peak_live_bytes", ""}, [](S s) { return number(s.blocks.peak_live_bytes); }},
       {{"live_at_end", ""}, [](S s) { return number(s.blocks.live_at_end); }},
       {{"sampled_one_in", ""}, [](S s) { return figure_of(s.blocks.sampled_one_in); }},
       {{"handed_out_pages", ""}, [](S s) { return number(s.pages.handed_out); }},
       {{"touched_pages", "touched"}, [](S s) { return number(s.pages.touched); }},
       {{"untouched_pages", ""}, [](S s) { return number(s.pages.untouched); }},
       {{"zero_pages", ""}, [](S s) { return number(s.pages.zero); }},
       {{"huge_pages", ""}, [](S s) { return number(s.pages.huge); }},
       {{"write", ""}, [](S s) { return number(s.faults.write); }},
       {{"zero_read", ""}, [](S s) { return number(s.faults.zero_read); }},
       {{"write_after_zero_read", ""}, [](S s) { return number(s.faults.write_after_zero_read); }},
       {{"huge", ""}, [](S s) { return number(s.faults.huge); }},
       {{"in_call", ""}, [](S s) { return number(s.faults.in_call); }},
       {{"kernel_copy", ""}, [](S s) { return number(s.faults.kernel_copy); }},
       {{"p50_ns", ""}, [](S s) { return figure_of(s.cost.p50_ns); }},
       {{"p99_ns", ""}, [](S s) { return figure_of(s.cost.p99_ns); }},
       {{"max_ns", ""}, [](S s) { return figure_of(s.cost.max_ns); }},
       {{"fresh", "fresh"}, [](S s) { return number(s.reuse.fresh); }},
       {{"warm", "warm"}, [](S s) { return number(s.reuse.warm); }},
       {{"partial", "partial"}, [](S s) { return number(s.reuse.partial); }},
       {{"cold", "cold"}, [](S s) { return number(s.reuse.cold); }},
       {{"refaulted_after_purge_pages", ""},
        [](S s) { return number(s.reuse.refaulted_after_purge_pages); }},
       {{"advice", "advice"}, [](S s) { return Cell(kinds_of(s)); }}});
  return sheet_of(result.sites, fields);
}

// One touch site over all the sites whose blocks it touched.
struct Touch {
  Frame frame;
  uint64_t faults = 0;
  double cost_ns = 0;
};

Sheet by_touch(const Result& result) {
  std::map<std::string, Touch> sums;
  auto add = [&](const TouchSite& touch) {
    const Frame& frame = touch.frame;
    Touch& sum = sums[frame.function + '\n' + frame.file + '\n' + std::to_string(frame.line)];
    sum.frame = frame;
    sum.faults += touch.faults;
    sum.cost_ns += touch.cost_ns;
  };
  for (const Site& site : result.sites)
    std::for_each(site.touch_sites.begin(), site.touch_sites.end(), add);
  const auto& small = result.ledger.small_heap_touch_sites;
  std::for_each(small.begin(), small.end(), add);
  std::vector<Touch> touches;
  for (const auto& [key, touch] : sums) touches.push_back(touch);
  using T = const Touch&;
  static const std::vector<Field<Touch>> fields = {
      {{"faults", "faults"}, [](T t) { return number(t.faults); }},
      {{"cost_ns", "cost", Unit::ns}, [](T t) { return figure_of(t.cost_ns); }},
      {{"function", "touched by", {}, true}, [](T t) { return Cell(t.frame.function); }},
      {{"file", "file", {}, true}, [](T t) { return Cell(t.frame.file); }},
      {{"line", "line"}, [](T t) { return number(t.frame.line); }},
      {{"module", ""}, [](T t) { return Cell(t.frame.module); }}};
  return sheet_of(touches, fields);
}

Sheet by_thread(const Result& result) {
  using T = const Thread&;
  static const std::vector<Field<Thread>> fields = {
      {{"faults", "faults"}, [](T t) { return number(t.faults); }},
      {{"cost_ns", "cost", Unit::ns}, [](T t) { return figure_of(t.cost_ns); }},
      {{"thread", "thread", {}, true}, [](T t) { return Cell(t.name); }},
      {{"tid", "tid"}, [](T t) { return Cell(std::to_string(t.tid)); }},
      {{"process", ""}, [](T t) { return number(t.process); }}};
  return sheet_of(result.threads, fields);
}

struct ModuleSum {
  std::string path;
  uint64_t sites = 0, faults = 0;
  double cost_ns = 0;
};

Sheet by_module(const Result& result) {
  std::map<std::string, ModuleSum> sums;
  for (const Site& site : result.sites) {
    ModuleSum& sum = sums[own_frame(site).module];
    sum.path = own_frame(site).module;
    ++sum.sites;
    sum.faults += site.faults.count;
    sum.cost_ns += site.cost.total_ns;
  }
  std::vector<ModuleSum> modules;
  for (const auto& [path, sum] : sums) modules.push_back(sum);
  using M = const ModuleSum&;
  static const std::vector<Field<ModuleSum>> fields = {
      {{"faults", "faults"}, [](M m) { return number(m.faults); }},
      {{"cost_ns", "cost", Unit::ns}, [](M m) { return figure_of(m.cost_ns); }},
      {{"sites", "sites"}, [](M m) { return number(m.sites); }},
      {{"module", "module", {}, true}, [](M m) { return Cell(m.path); }}};
  return sheet_of(modules, fields);
}

Sheet by_process(const Result& result) {
  using P = const Process&;
  static const std::vector<Field<Process>> fields = {
      {{"faults", "faults"}, [](P p) { return number(p.minor_faults + p.major_faults); }},
      {{"cost_ns", "cost", Unit::ns}, [](P p) { return figure_of(p.cost_ns); }},
      {{"process", "process", {}, true}, [](P p) { return Cell(p.name); }},
      {{"rank", "rank"}, [](P p) { return Cell(p.rank); }},
      {{"pid", "pid"}, [](P p) { return Cell(std::to_string(p.pid)); }},
      {{"ppid", ""}, [](P p) { return Cell(std::to_string(p.ppid)); }},
      {{"minor_faults", ""}, [](P p) { return number(p.minor_faults); }},
      {{"major_faults", ""}, [](P p) { return number(p.major_faults); }},
      {{"duration_ns", "duration", Unit::ns}, [](P p) { return figure_of(p.duration_ns); }},
      {{"peak_resident_bytes", "peak RSS", Unit::bytes},
       [](P p) { return number(p.peak_resident_bytes); }},
      {{"complete", ""}, [](P p) { return Cell(p.complete ? "true" : "false"); }}};
  return sheet_of(result.processes, fields);
}

Sheet by_phase(const Result& result) {
  using P = const Phase&;
  static const std::vector<Field<Phase>> fields = {
      {{"faults", "faults"}, [](P p) { return number(p.faults); }},
      {{"cost_ns", "cost", Unit::ns}, [](P p) { return figure_of(p.cost_ns); }},
      {{"phase", "phase", {}, true}, [](P p) { return Cell(p.name); }},
      {{"begin_ns", "from", Unit::ns}, [](P p) { return figure_of(p.begin_ns); }},
      {{"end_ns", "to", Unit::ns}, [](P p) { return figure_of(p.end_ns); }}};
  return sheet_of(result.phases, fields);
}

Sheet by_pool(const Result& result) {
  using S = const Site&;
  static const std::vector<Field<Site>> fields =
      with_head({{{"fresh", "fresh"}, [](S s) { return number(s.reuse.fresh); }},
                 {{"warm", "warm"}, [](S s) { return number(s.reuse.warm); }},
                 {{"partial", "partial"}, [](S s) { return number(s.reuse.partial); }},
                 {{"cold", "cold"}, [](S s) { return number(s.reuse.cold); }},
                 {{"unknown", ""}, [](S s) { return number(s.reuse.unknown); }},
                 {{"warm_pages", "warm pages"}, [](S s) { return number(s.reuse.warm_pages); }},
                 {{"purged_pages", "purged"}, [](S s) { return number(s.reuse.purged_pages); }},
                 {{"refaulted_after_purge_pages", "refaulted"},
                  [](S s) { return number(s.reuse.refaulted_after_purge_pages); }},
                 {{"refault_cost_ns", "refault cost", Unit::ns},
                  [](S s) { return figure_of(s.reuse.refault_cost_ns); }},
                 {{"cross_thread", ""}, [](S s) { return number(s.reuse.cross_thread); }},
                 {{"cross_node", ""}, [](S s) { return number(s.reuse.cross_node); }}});
  return sheet_of(result.sites, fields);
}

double figure_at(const std::vector<Cell>& row, size_t column) {
  return std::get<std::optional<double>>(row[column]).value_or(0);
}

std::string text_of(const Cell& cell, Unit unit, bool exact) {
  if (auto* text = std::get_if<std::string>(&cell)) return *text;
  const auto& value = std::get<std::optional<double>>(cell);
  if (!exact) return figure(value, unit);
  return value ? exact_figure(*value) : "";
}

}  // namespace

Sheet make_sheet(const Result& result, By by) {
  static constexpr Sheet (*kMakers[])(const Result&) = {by_site,    by_touch, by_thread, by_module,
                                                        by_process, by_phase, by_pool};
  Sheet sheet = kMakers[static_cast<int>(by)](result);
  // Phases stay in their order; all sheets begin with faults and cost.
  if (by != By::phase)
    std::stable_sort(sheet.rows.begin(), sheet.rows.end(), [](auto& a, auto& b) {
      double cost_a = figure_at(a, 1), cost_b = figure_at(b, 1);
      return cost_a != cost_b ? cost_a > cost_b : figure_at(a, 0) > figure_at(b, 0);
    });
  return sheet;
}

Table full_table(const Sheet& sheet) {
  Table table;
  for (const Sheet::Column& column : sheet.columns) table.columns.push_back({column.name});
  for (const auto& cells : sheet.rows) {
    auto& row = table.rows.emplace_back();
    for (size_t i = 0; i < cells.size(); ++i)
      row.push_back(text_of(cells[i], sheet.columns[i].unit, true));
  }
  return table;
}

Table brief_table(const Sheet& sheet, size_t top) {
  Table table;
  for (const Sheet::Column& column : sheet.columns)
    if (!column.title.empty())
      table.columns.push_back(
          {column.title, column.code ? Table::Align::left : Table::Align::right, 0, column.code});
  for (const auto& cells : sheet.rows) {
    if (top && table.rows.size() == top) break;
    auto& row = table.rows.emplace_back();
    for (size_t i = 0; i < cells.size(); ++i)
      if (!sheet.columns[i].title.empty())
        row.push_back(text_of(cells[i], sheet.columns[i].unit, false));
  }
  return table;
}

}  // namespace ftprof
