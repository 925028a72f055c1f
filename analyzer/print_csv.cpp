#include "analyzer/print_csv.h"

#include "analyzer/sheet.h"

namespace ftprof {

void print_csv(const Result& result, const TextView& view, std::ostream& out) {
  Sheet sheet = make_sheet(result, view.by);
  if (view.top && sheet.rows.size() > view.top) sheet.rows.resize(view.top);
  print_table_csv(full_table(sheet), out);
}

}  // namespace ftprof
