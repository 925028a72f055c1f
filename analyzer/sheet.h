// The result as one sheet for each key of `ftprof report --by`: what csv and markdown print.
//
// csv shows every column, named as in the JSON report, figures exact. Markdown shows the brief
// ones, figures as people read them.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analyzer/diff.h"
#include "analyzer/print_text.h"
#include "analyzer/table.h"

namespace ftprof {

struct Sheet {
  struct Column {
    std::string name;   // "cost_ns"
    std::string title;  // "cost"; empty: not in the brief form
    Unit unit = Unit::count;
    bool code = false;  // names from the program
  };
  using Cell = std::variant<std::string, std::optional<double>>;  // an absent figure is unknown

  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
};

// Dearest first.
Sheet make_sheet(const Result& result, By by);

Table full_table(const Sheet& sheet);               // every column, figures exact
Table brief_table(const Sheet& sheet, size_t top);  // 0: all rows

}  // namespace ftprof
