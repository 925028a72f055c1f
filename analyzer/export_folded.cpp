// "main;load;malloc 42" lines, the input of flamegraph.pl and its kin: outermost first, equal
// stacks added up.
#include <map>

#include "analyzer/escape.h"
#include "analyzer/export.h"

namespace ftprof {

namespace {

// The separator inside a name would split it in two.
std::string folded_name(const Frame& frame) {
  std::string name = printable(frame.function);
  for (char& c : name)
    if (c == ';') c = ':';
  return name.empty() ? "??" : name;
}

std::string folded(const std::vector<Frame>& innermost_first) {
  std::string line;
  for (auto i = innermost_first.rbegin(); i != innermost_first.rend(); ++i)
    line += (line.empty() ? "" : ";") + folded_name(*i);
  return line.empty() ? "??" : line;
}

}  // namespace

void export_folded(std::ostream& out, const Result& result, SampleValue value) {
  Bill bill(result);
  std::map<std::string, int64_t> stacks;
  for (const BillSample& sample : bill.samples())
    if (sample.values[value]) stacks[folded(*sample.stack)] += sample.values[value];
  for (const auto& [stack, total] : stacks) out << stack << ' ' << total << '\n';
}

}  // namespace ftprof
