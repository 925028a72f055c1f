// `ftprof report --format csv` and `--format markdown`: for those who paste.
#pragma once

#include <ostream>

#include "analyzer/print_text.h"

namespace ftprof {

// Every row, figures exact, columns named as in the JSON report; `top` as in `view`, 0 is all.
void print_csv(const Result& result, const TextView& view, std::ostream& out);
// The bill, the ledger, the dearest rows, advice and notes.
void print_markdown(const Result& result, const TextView& view, std::ostream& out);

}  // namespace ftprof
