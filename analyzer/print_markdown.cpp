#include "analyzer/advice.h"
#include "analyzer/figures.h"
#include "analyzer/print_csv.h"
#include "analyzer/sheet.h"

namespace ftprof {

namespace {

constexpr size_t kRowsShown = 20;
constexpr size_t kAdviceShown = 5;

std::string command_of(const Run& run) {
  std::string line;
  for (const std::string& word : run.command) line += (line.empty() ? "" : " ") + word;
  return line;
}

void print_bill(const Result& result, std::ostream& out) {
  const Ledger& ledger = result.ledger;
  out << "### First touches of " << markdown_code(command_of(result.run)) << "\n\n**"
      << count_figure(static_cast<double>(ledger.minor_faults + ledger.major_faults)) << " faults, "
      << time_figure(ledger.cost_ns) << "** over " << time_figure(result.run.duration_ns) << "; "
      << markdown_text(share_figure(ledger.accounted_share))
      << " have an owner. Allocator: " << markdown_text(result.run.allocator_name)
      << ". Faults: " << markdown_text(result.run.fault_source) << ", cost "
      << markdown_text(result.run.fault_cost) << ".\n\n";
}

void print_ledger(const Ledger& ledger, std::ostream& out) {
  Table table{{{"owner", Table::Align::left, 0, true},
               {"faults", Table::Align::right},
               {"cost", Table::Align::right}},
              {}};
  for (const LedgerRow& row : ledger.rows)
    if (row.faults)
      table.rows.push_back({owner_name(row.owner), count_figure(static_cast<double>(row.faults)),
                            figure(row.cost_ns, Unit::ns)});
  print_table_markdown(table, out);
}

void print_advice(const Result& result, std::ostream& out) {
  size_t shown = 0;
  for (const Site& site : result.sites)
    for (const Advice& advice : site.advice) {
      if (shown++ == kAdviceShown) return;
      out << (shown == 1 ? "\n" : "") << "- " << markdown_code(site_label(site)) << ": "
          << markdown_text(advice.text + " " + saving_text(advice));
      for (const auto& [name, value] : advice.try_env)
        out << " Try " << markdown_code(name + "=" + value) << ".";
      out << '\n';
    }
}

}  // namespace

void print_markdown(const Result& result, const TextView& view, std::ostream& out) {
  print_bill(result, out);
  print_ledger(result.ledger, out);
  out << '\n';
  size_t top = view.all ? 0 : view.top ? view.top : kRowsShown;
  print_table_markdown(brief_table(make_sheet(result, view.by), top), out);
  if (view.by == By::site) print_advice(result, out);
  for (const std::string& note : result.run.notes) out << "\nNote: " << markdown_text(note) << "\n";
  for (const std::string& warning : result.run.warnings)
    out << "\nWarning: " << markdown_text(warning) << "\n";
}

}  // namespace ftprof
