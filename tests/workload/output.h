// How every experiment prints: a table for people, JSON for machines, and checks that decide the
// exit status.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ftprof::workload {

// Columns are as wide as their widest cell; the first is aligned left, the others right.
class Table {
 public:
  explicit Table(std::vector<std::string> head) { rows_.push_back(std::move(head)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string fixed(double value, int digits);
std::string grouped(uint64_t value);  // 65,536

// Work that was promised and must be proved. A failed check is printed to standard error at once.
class Checks {
 public:
  void that(bool holds, const std::string& what);
  void equal(uint64_t got, uint64_t wanted, const std::string& what);
  bool passed() const { return failed_ == 0; }
  int status() const { return passed() ? 0 : 1; }

 private:
  int failed_ = 0;
};

// Writes to `path`, or to standard output when it is "-"; nothing when it is empty. False (and one
// line on standard error) when it cannot be written.
bool write_json(const std::string& path, const nlohmann::ordered_json& json);

}  // namespace ftprof::workload
