// A Comparison as the HTML page (print_html.h): the variants side by side, the sites that differ,
// and a flame graph of the difference.
#pragma once

#include <ostream>
#include <vector>

#include "analyzer/compare.h"
#include "analyzer/try_advice.h"

namespace ftprof {

void print_compare_html(const Comparison& comparison, const std::vector<Trial>& trials,
                        std::ostream& out);

}  // namespace ftprof
