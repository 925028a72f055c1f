// A Comparison, and the trials of advice where there are any, in the forms of `ftprof compare`.
#pragma once

#include <ostream>
#include <vector>

#include "analyzer/compare.h"
#include "analyzer/try_advice.h"

namespace ftprof {

void print_compare_text(const Comparison& comparison, const std::vector<Trial>& trials,
                        std::ostream& out);
void print_compare_markdown(const Comparison& comparison, const std::vector<Trial>& trials,
                            std::ostream& out);
void print_compare_json(const Comparison& comparison, const std::vector<Trial>& trials,
                        std::ostream& out);

}  // namespace ftprof
