#include <algorithm>
#include <map>
#include <sstream>

#include "tests/workload/output.h"
#include "tests/workload/pagebench.h"

namespace ftprof::workload {

std::string row_text(const BenchRow& row) {
  std::string name = row.benchmark + "/" + std::to_string(row.bytes);
  name.resize(std::max<size_t>(name.size(), 32), ' ');
  std::string cost = fixed(row.ns_per_op, 2);
  std::string text =
      name + std::string(cost.size() < 14 ? 14 - cost.size() : 1, ' ') + cost + " ns/op";
  if (row.gib_per_s > 0) text += "  " + fixed(row.gib_per_s, 2) + " GiB/s";
  return text;
}

bool parse_row(const std::string& line, BenchRow& row) {
  std::istringstream words(line);
  std::string name, unit;
  double cost = 0;
  if (!(words >> name >> cost >> unit) || unit != "ns/op" || !(cost > 0)) return false;
  size_t slash = name.find('/');
  if (slash == std::string::npos || slash == 0) return false;
  std::string size = name.substr(slash + 1);
  if (size.empty() || size.size() > 15 ||
      !std::all_of(size.begin(), size.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return false;
  row = {name.substr(0, slash), std::stoul(size), cost, 0};
  return true;
}

std::vector<JoinedRow> join(const std::vector<BenchRow>& a, const std::vector<BenchRow>& b) {
  std::map<std::pair<std::string, size_t>, JoinedRow> rows;
  for (const BenchRow& row : a)
    rows[{row.benchmark, row.bytes}] = {row.benchmark, row.bytes, row.ns_per_op, 0};
  for (const BenchRow& row : b)
    if (auto found = rows.find({row.benchmark, row.bytes}); found != rows.end())
      found->second.b = row.ns_per_op;
  std::vector<JoinedRow> joined;
  for (const auto& [key, row] : rows)
    if (row.b > 0) joined.push_back(row);
  return joined;
}

}  // namespace ftprof::workload
