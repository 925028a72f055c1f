// Results of the allocator benchmark as text, and two such texts side by side.
#pragma once

#include <string>
#include <vector>

namespace ftprof::workload {

struct BenchRow {
  std::string benchmark;  // "alloc_free_pair"
  size_t bytes = 0;
  double ns_per_op = 0;
  double gib_per_s = 0;  // 0 where it says nothing
};

// "alloc_free_pair/16  12.34 ns/op": what parse_row() reads again. parse_row() is false for any
// other line.
std::string row_text(const BenchRow& row);
bool parse_row(const std::string& line, BenchRow& row);

struct JoinedRow {
  std::string benchmark;
  size_t bytes = 0;
  double a = 0, b = 0;
  double change() const { return (a - b) / b; }
};

// The rows that both have, sorted by benchmark and size.
std::vector<JoinedRow> join(const std::vector<BenchRow>& a, const std::vector<BenchRow>& b);

}  // namespace ftprof::workload
