#include "analyzer/table.h"

#include <algorithm>

#include "analyzer/escape.h"

namespace ftprof {

namespace {

using Row = std::vector<std::string>;

Row titles(const Table& table) {
  Row row;
  for (const Table::Column& column : table.columns) row.push_back(column.title);
  return row;
}

std::string shown(std::string_view cell, const Table::Column& column) {
  std::string text = printable(cell);
  return column.widest ? fit(text, column.widest) : text;
}

void print_text_row(const Table& table, const Row& cells, const std::vector<size_t>& widths,
                    std::ostream& out) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    std::string padding(widths[i] - display_width(cells[i]), ' ');
    bool right = table.columns[i].align == Table::Align::right;
    line += (i ? "  " : "") + (right ? padding + cells[i] : cells[i] + padding);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << '\n';
}

// A spreadsheet takes a cell that begins like a formula for one.
bool looks_like_formula(std::string_view cell) {
  if (cell.empty() || std::string_view("=+-@").find(cell[0]) == std::string_view::npos)
    return false;
  return cell.find_first_not_of("+-0123456789.eE") != std::string_view::npos;
}

std::string csv_cell(std::string_view cell) {
  std::string text = (looks_like_formula(cell) ? "'" : "") + printable(cell);
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char byte : text) quoted.append(byte == '"' ? 2 : 1, byte);
  return quoted + '"';
}

}  // namespace

void print_table_text(const Table& table, std::ostream& out) {
  std::vector<Row> rows = {titles(table)};
  for (const Row& cells : table.rows) {
    Row& row = rows.emplace_back();
    for (size_t i = 0; i < cells.size(); ++i) row.push_back(shown(cells[i], table.columns[i]));
  }
  std::vector<size_t> widths(table.columns.size(), 0);
  for (const Row& row : rows)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  for (const Row& row : rows) print_text_row(table, row, widths, out);
}

void print_table_markdown(const Table& table, std::ostream& out) {
  for (const Table::Column& column : table.columns)
    out << "| " << markdown_text(column.title) << ' ';
  out << "|\n";
  for (const Table::Column& column : table.columns)
    out << (column.align == Table::Align::right ? "| ---: " : "| --- ");
  out << "|\n";
  for (const Row& cells : table.rows) {
    for (size_t i = 0; i < cells.size(); ++i)
      out << "| " << (table.columns[i].code ? markdown_code(cells[i]) : markdown_text(cells[i]))
          << ' ';
    out << "|\n";
  }
}

void print_table_csv(const Table& table, std::ostream& out) {
  auto print_row = [&](const Row& cells) {
    for (size_t i = 0; i < cells.size(); ++i) out << (i ? "," : "") << csv_cell(cells[i]);
    out << '\n';
  };
  print_row(titles(table));
  for (const Row& cells : table.rows) print_row(cells);
}

std::string markdown_text(std::string_view text) {
  std::string safe;
  for (char byte : printable(text)) {
    if (std::string_view("<>&@#").find(byte) != std::string_view::npos) {
      safe += "&#" + std::to_string(byte) + ";";
    } else {
      if (std::string_view("\\`*_[]|~$").find(byte) != std::string_view::npos) safe += '\\';
      safe += byte;
    }
  }
  return safe;
}

std::string markdown_code(std::string_view text) {
  if (text.empty()) return "";
  std::string safe = "`";
  for (char byte : printable(text)) {
    if (byte == '|') safe += '\\';
    safe += byte == '`' ? '\'' : byte;
  }
  return safe + "`";
}

}  // namespace ftprof
