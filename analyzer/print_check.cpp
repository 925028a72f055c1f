#include "analyzer/print_check.h"

#include <algorithm>

#include "analyzer/escape.h"
#include "analyzer/json_writer.h"
#include "analyzer/table.h"

namespace ftprof {

namespace {

using Align = Table::Align;

const char* verdict(const Finding& finding) {
  return finding.exceeded ? "EXCEEDED" : "ok";
}

size_t exceeded(const CheckReport& report) {
  return std::count_if(report.findings.begin(), report.findings.end(),
                       [](const Finding& one) { return one.exceeded; });
}

std::string summary(const CheckReport& report) {
  size_t bad = exceeded(report), all = report.findings.size();
  if (all == 0) return "Nothing to check: no limit is set, and nothing rose above the baseline.";
  if (bad == 0) return "All " + std::to_string(all) + " limits are kept.";
  return std::to_string(bad) + " of " + std::to_string(all) + " limits are exceeded.";
}

void print_blame(const Finding& finding, std::ostream& out) {
  const Blame& blame = *finding.blame;
  out << '\n'
      << printable(finding.limit()) << ": " << printable(blame.site) << "\n  stack    "
      << printable(blame.stack) << "\n  changed  " << printable(blame.changed) << '\n';
}

void json_number(const char* name, const std::optional<double>& value, JsonWriter& out) {
  out.key(name);
  value ? out.value(*value) : out.null();
}

void json_blame(const std::optional<Blame>& blame, JsonWriter& out) {
  out.key("site");
  if (!blame) return out.null();
  out.begin_object();
  out.member("id", blame->id);
  out.member("label", blame->site);
  out.member("stack", blame->stack);
  out.member("file", blame->file);
  out.member("line", blame->line);
  out.member("changed", blame->changed);
  out.end_object();
}

std::string xml(std::string_view text) {
  std::string safe;
  for (char byte : printable(text)) {
    switch (byte) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += byte;
    }
  }
  return safe;
}

void junit_case(const Finding& finding, std::ostream& out) {
  out << "    <testcase classname=\"ftprof." << xml(finding.section) << "\" name=\""
      << xml(finding.limit()) << "\"";
  if (!finding.exceeded) {
    out << "/>\n";
    return;
  }
  out << ">\n      <failure message=\"found " << xml(finding.found) << ", allowed "
      << xml(finding.allowed) << "\">";
  if (finding.blame)
    out << xml(finding.blame->site) << "&#10;" << xml(finding.blame->stack) << "&#10;"
        << xml(finding.blame->changed);
  out << "</failure>\n    </testcase>\n";
}

// Workflow commands end at a line feed; in properties, : and , separate.
std::string command_text(std::string_view text, bool property) {
  std::string safe;
  for (char byte : printable(text)) {
    if (byte == '%')
      safe += "%25";
    else if (property && byte == ':')
      safe += "%3A";
    else if (property && byte == ',')
      safe += "%2C";
    else
      safe += byte;
  }
  return safe;
}

std::string relative(const std::string& file, const std::string& workspace) {
  bool inside = !workspace.empty() && file.starts_with(workspace + "/");
  return inside ? file.substr(workspace.size() + 1) : file;
}

}  // namespace

void print_check_text(const CheckReport& report, std::ostream& out) {
  Table table{{{"limit", Align::left, 60},
               {"allowed", Align::right},
               {"found", Align::right},
               {"verdict"},
               {"site", Align::left, 60}},
              {}};
  for (const Finding& one : report.findings)
    table.rows.push_back(
        {one.limit(), one.allowed, one.found, verdict(one), one.blame ? one.blame->site : ""});
  if (!table.rows.empty()) print_table_text(table, out);
  for (const Finding& one : report.findings)
    if (one.exceeded && one.blame) print_blame(one, out);
  out << '\n' << summary(report) << '\n';
  for (const std::string& note : report.notes) out << "Note: " << printable(note) << ".\n";
}

void print_check_markdown(const CheckReport& report, std::ostream& out) {
  out << "### First touches: " << (report.failed() ? "❌" : "✅") << ' ' << summary(report) << "\n\n";
  Table table{{{"limit", Align::left, 0, true},
               {"allowed", Align::right},
               {"found", Align::right},
               {"verdict"},
               {"site", Align::left, 0, true},
               {"stack", Align::left, 0, true},
               {"what changed"}},
              {}};
  for (const Finding& one : report.findings) {
    Blame blame = one.blame.value_or(Blame{});
    table.rows.push_back({one.limit(), one.allowed, one.found, verdict(one), blame.site,
                          blame.stack, blame.changed});
  }
  if (!table.rows.empty()) print_table_markdown(table, out);
  for (const std::string& note : report.notes) out << "\nNote: " << markdown_text(note) << ".\n";
}

void print_check_json(const CheckReport& report, std::ostream& out) {
  JsonWriter writer(out);
  writer.begin_object();
  writer.member("schema", "ftprof.check/1");
  writer.member("passed", !report.failed());
  writer.key("findings");
  writer.begin_array();
  for (const Finding& one : report.findings) {
    writer.begin_object();
    writer.member("section", one.section);
    writer.member("key", one.key);
    writer.member("subject", one.subject);
    json_number("allowed", one.allowed_value, writer);
    json_number("found", one.found_value, writer);
    writer.member("exceeded", one.exceeded);
    json_blame(one.blame, writer);
    writer.end_object();
  }
  writer.end_array();
  writer.key("notes");
  writer.begin_array();
  for (const std::string& note : report.notes) writer.value(note);
  writer.end_array();
  writer.end_object();
  writer.finish();
}

void print_check_junit(const CheckReport& report, std::ostream& out) {
  std::string counts = " tests=\"" + std::to_string(report.findings.size()) + "\" failures=\"" +
                       std::to_string(exceeded(report)) + "\"";
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" << counts
      << ">\n  <testsuite name=\"ftprof check\"" << counts << " errors=\"0\" skipped=\"0\">\n";
  for (const Finding& one : report.findings) junit_case(one, out);
  out << "  </testsuite>\n</testsuites>\n";
}

void print_check_annotations(const CheckReport& report, const std::string& workspace,
                             std::ostream& out) {
  for (const Finding& one : report.findings) {
    if (!one.exceeded) continue;
    out << "::error title=" << command_text("ftprof " + one.limit(), true);
    if (one.blame && !one.blame->file.empty())
      out << ",file=" << command_text(relative(one.blame->file, workspace), true)
          << ",line=" << one.blame->line;
    out << "::" << command_text("found " + one.found + ", allowed " + one.allowed, false);
    if (one.blame)
      out << "%0A" << command_text(one.blame->stack, false) << "%0A"
          << command_text(one.blame->changed, false);
    out << '\n';
  }
}

}  // namespace ftprof
