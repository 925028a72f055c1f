#include "tests/workload/output.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>

namespace ftprof::workload {

std::string Table::text() const {
  std::vector<size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      std::string padding(widths[i] - row[i].size(), ' ');
      line += i == 0 ? row[i] + padding : "  " + padding + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string grouped(uint64_t value) {
  std::string text = std::to_string(value);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

void Checks::that(bool holds, const std::string& what) {
  if (holds) return;
  ++failed_;
  std::cerr << "check failed: " << what << "\n";
}

void Checks::equal(uint64_t got, uint64_t wanted, const std::string& what) {
  that(got == wanted, what + " is " + std::to_string(got) + ", must be " + std::to_string(wanted));
}

bool write_json(const std::string& path, const nlohmann::ordered_json& json) {
  if (path.empty()) return true;
  if (path == "-") {
    std::cout << json.dump(2) << "\n";
    return true;
  }
  std::ofstream file(path);
  file << json.dump(2) << "\n";
  if (file.flush()) return true;
  std::cerr << "ftprof-workload: cannot write " << path << ": " << std::strerror(errno)
            << "; name another file with --json\n";
  return false;
}

}  // namespace ftprof::workload
