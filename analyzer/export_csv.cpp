// The tables of the sqlite export as CSV (RFC 4180, line feeds, a header), so that a column has one
// name everywhere. NULL is an empty field, an empty text is "".
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "analyzer/bad_input.h"
#include "analyzer/export.h"
#include "analyzer/fill_database.h"

namespace ftprof {

namespace {

std::string field(const std::string& text) {
  if (!text.empty() && text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

// sqlite3_exec's callback: one row; the first call writes the header too.
int write_row(void* to, int columns, char** values, char** names) {
  auto* state = static_cast<std::pair<std::ostream*, bool>*>(to);
  std::ostream& out = *state->first;
  auto line = [&](char** texts) {
    for (int i = 0; i < columns; i++) out << (i ? "," : "") << (texts[i] ? field(texts[i]) : "");
    out << '\n';
  };
  if (!std::exchange(state->second, true)) line(names);
  line(values);
  return 0;
}

std::string header(const Database& db, const std::string& table) {
  std::string line;
  auto add = [](void* to, int, char** values, char**) {
    auto& line = *static_cast<std::string*>(to);
    line += (line.empty() ? "" : ",") + std::string(values[1]);
    return 0;
  };
  sqlite3_exec(db.handle(), ("PRAGMA table_info(" + table + ")").c_str(), add, &line, nullptr);
  return line + '\n';
}

void write_table(std::ostream& out, const Database& db, const std::string& table) {
  std::pair<std::ostream*, bool> to{&out, false};
  sqlite3_exec(db.handle(), ("SELECT * FROM " + table).c_str(), write_row, &to, nullptr);
  if (!to.second) out << header(db, table);
}

std::string listed(const std::vector<std::string>& names) {
  std::string line;
  for (const std::string& name : names) line += (line.empty() ? "" : ", ") + name;
  return line;
}

}  // namespace

void export_csv_table(std::ostream& out, const Result& result, const std::string& table) {
  Database db;
  fill_database(db, result);
  auto names = db.tables();
  if (std::find(names.begin(), names.end(), table) == names.end())
    throw BadInput("--table " + table + ": there is none such; there are " + listed(names));
  write_table(out, db, table);
}

void export_csv_folder(const std::string& folder, const Result& result) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw BadInput(folder + ": cannot make this folder: " + error.message());
  Database db;
  fill_database(db, result);
  for (const std::string& table : db.tables()) {
    std::string path = folder + "/" + table + ".csv";
    std::ofstream out(path, std::ios::binary);
    write_table(out, db, table);
    if (!out.flush()) throw BadInput(path + ": cannot write this file");
  }
}

}  // namespace ftprof
