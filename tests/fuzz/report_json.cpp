// A JSON report, as diff, check --baseline and compare read it.
#include <sstream>
#include <string>

#include "analyzer/result_json.h"
#include "tests/fuzz/target.h"

void parse(std::string_view input) {
  std::istringstream in{std::string(input)};
  ftprof::read_json(in, "fuzz");
}
