#include "analyzer/print_diff.h"

#include <algorithm>

#include "analyzer/changes.h"
#include "analyzer/escape.h"
#include "analyzer/figures.h"
#include "analyzer/json_writer.h"
#include "analyzer/table.h"

namespace ftprof {

namespace {

using Align = Table::Align;

Table totals_table(const Diff& diff) {
  Table table{
      {{"total"}, {"before", Align::right}, {"after", Align::right}, {"change", Align::right}}, {}};
  for (const Measure& measure : diff.totals)
    table.rows.push_back({measure.name, figure(measure.before, measure.unit),
                          figure(measure.after, measure.unit), change_figure(measure)});
  return table;
}

std::string joined(const std::vector<std::string>& clauses) {
  std::string all;
  for (const std::string& clause : clauses) all += (all.empty() ? "" : "; ") + clause;
  return all;
}

// The sites that changed at all, as many as the view shows.
std::vector<const SiteDiff*> changed_sites(const Diff& diff, size_t top) {
  std::vector<const SiteDiff*> changed;
  for (const SiteDiff& site : diff.sites)
    if (!site.why.empty() || site.faults().change() != 0) changed.push_back(&site);
  if (top && changed.size() > top) changed.resize(top);
  return changed;
}

std::vector<std::string> site_cells(const SiteDiff& site) {
  const Measure& faults = site.faults();
  return {figure(faults.before, faults.unit), figure(faults.after, faults.unit),
          change_figure(faults), site_label(*site.pair.any().site)};
}

const std::vector<Table::Column> kSiteColumns = {
    {"faults before", Align::right}, {"after", Align::right}, {"change", Align::right}, {"site"}};

std::string summary(const Diff& diff, const DiffView& view) {
  size_t differ = std::count_if(diff.sites.begin(), diff.sites.end(), [&](const SiteDiff& site) {
    return diff.differs(site.faults(), view.tolerance) ||
           touch_moved(site.pair, view.tolerance, diff.period);
  });
  std::string tolerance = share_figure(view.tolerance.share);
  if (!diff.differs(view.tolerance)) return "The same within " + tolerance + ".";
  return std::to_string(differ) + " of " + std::to_string(diff.sites.size()) +
         " sites differ by more than " + tolerance + ".";
}

void json_measures(const std::vector<Measure>& measures, JsonWriter& out) {
  out.begin_object();
  for (const Measure& measure : measures) {
    out.key(measure.name);
    out.begin_object();
    for (auto [name, value] : {std::pair{"before", measure.before}, {"after", measure.after}}) {
      out.key(name);
      value ? out.value(*value) : out.null();
    }
    out.key("change");
    measure.before&& measure.after ? out.value(measure.change()) : out.null();
    out.end_object();
  }
  out.end_object();
}

const char* matched(const SitePair& pair) {
  if (!pair.before) return "only_after";
  if (!pair.after) return "only_before";
  return pair.by_callers ? "callers" : "stack";
}

void json_site(const Diff& diff, const SiteDiff& site, const Tolerance& tolerance,
               JsonWriter& out) {
  const Site& shown = *site.pair.any().site;
  out.begin_object();
  out.member("id", shown.id);
  out.member("site", site_label(shown));
  out.member("stack", stack_line(shown, shown.stack.size()));
  out.member("matched", matched(site.pair));
  out.member("differs", diff.differs(site.faults(), tolerance) ||
                            touch_moved(site.pair, tolerance, diff.period));
  out.key("measures");
  json_measures(site.measures, out);
  out.key("changes");
  out.begin_array();
  for (const std::string& clause : site.why) out.value(clause);
  out.end_array();
  out.end_object();
}

}  // namespace

void print_diff_text(const Diff& diff, const DiffView& view, std::ostream& out) {
  out << "before: " << printable(view.before) << "\nafter:  " << printable(view.after) << "\n\n";
  print_table_text(totals_table(diff), out);
  Table sites{kSiteColumns, {}};
  for (const SiteDiff* site : changed_sites(diff, view.top)) {
    sites.rows.push_back(site_cells(*site));
    sites.rows.push_back({"", "", "", "  " + stack_line(*site->pair.any().site)});
    for (const std::string& clause : site->why) sites.rows.push_back({"", "", "", "  " + clause});
  }
  if (!sites.rows.empty()) {
    out << '\n';
    print_table_text(sites, out);
  }
  out << '\n' << summary(diff, view) << '\n';
}

void print_diff_markdown(const Diff& diff, const DiffView& view, std::ostream& out) {
  out << "### First touches: " << markdown_text(view.before) << " → " << markdown_text(view.after)
      << "\n\n"
      << summary(diff, view) << "\n\n";
  print_table_markdown(totals_table(diff), out);
  Table sites{kSiteColumns, {}};
  sites.columns.back().code = true;
  sites.columns.push_back({"what changed"});
  for (const SiteDiff* site : changed_sites(diff, view.top)) {
    sites.rows.push_back(site_cells(*site));
    sites.rows.back().push_back(joined(site->why));
  }
  if (sites.rows.empty()) return;
  out << '\n';
  print_table_markdown(sites, out);
}

void print_diff_csv(const Diff& diff, const DiffView&, std::ostream& out) {
  Table table{{{"id"}, {"site"}, {"stack"}, {"matched"}, {"measure"}, {"before"}, {"after"}}, {}};
  auto number = [](const std::optional<double>& value) {
    return value ? exact_figure(*value) : std::string();
  };
  for (const Measure& total : diff.totals)
    table.rows.push_back({"", "", "", "", total.name, number(total.before), number(total.after)});
  for (const SiteDiff& site : diff.sites) {
    const Site& shown = *site.pair.any().site;
    for (const Measure& one : site.measures)
      table.rows.push_back({shown.id, site_label(shown), stack_line(shown, shown.stack.size()),
                            matched(site.pair), one.name, number(one.before), number(one.after)});
  }
  print_table_csv(table, out);
}

void print_diff_json(const Diff& diff, const DiffView& view, std::ostream& out) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.member("schema", "ftprof.diff/1");
  writer.member("before", view.before);
  writer.member("after", view.after);
  writer.member("tolerance_share", view.tolerance.share);
  writer.member("slack_faults", view.tolerance.slack);
  writer.member("differs", diff.differs(view.tolerance));
  writer.key("totals");
  json_measures(diff.totals, writer);
  writer.key("sites");
  writer.begin_array();
  for (const SiteDiff& site : diff.sites) json_site(diff, site, view.tolerance, writer);
  writer.end_array();
  writer.end_object();
  writer.finish();
}

}  // namespace ftprof
