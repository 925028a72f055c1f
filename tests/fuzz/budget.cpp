// A TOML file of budgets.
#include "analyzer/budget.h"

#include "tests/fuzz/target.h"

void parse(std::string_view input) {
  ftprof::parse_budget(input, "fuzz");
}
