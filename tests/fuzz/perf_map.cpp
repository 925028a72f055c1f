// A JIT compiler's perf-PID.map.
#include "analyzer/perf_map.h"

#include "tests/fuzz/target.h"

void parse(std::string_view input) {
  ftprof::PerfMap::parse(input);
}
