// The report for people at a terminal: the bill in three lines, the ledger, the dearest sites, the
// pool, phases, notes. Nothing of the program's text reaches the terminal unescaped.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>

#include "analyzer/result.h"

namespace ftprof {

enum class By { site, touch, thread, module, process, phase, pool };

struct TextView {
  By by = By::site;
  size_t top = 0;    // sites or rows at most; 0: as many as make 95 % of the bill
  bool all = false;  // every site and row
  bool raw = false;  // frames of the allocator and the C++ library too
  bool colour = false;
  size_t width = 100;  // columns
};

void print_text(const Result& result, const TextView& view, std::ostream& out);

}  // namespace ftprof
