// A TOML file of settings.
#include "analyzer/settings.h"

#include "tests/fuzz/target.h"

void parse(std::string_view input) {
  ftprof::Settings settings;
  settings.parse_toml(input, "fuzz");
}
