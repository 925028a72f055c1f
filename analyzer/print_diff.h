// A Diff in the forms that `ftprof diff` offers.
#pragma once

#include <ostream>
#include <string>

#include "analyzer/diff.h"

namespace ftprof {

struct DiffView {
  std::string before, after;  // the names of the two, as given
  Tolerance tolerance;
  size_t top = 20;  // sites shown by the forms for people; 0 is all
};

void print_diff_text(const Diff& diff, const DiffView& view, std::ostream& out);
void print_diff_markdown(const Diff& diff, const DiffView& view, std::ostream& out);
void print_diff_csv(const Diff& diff, const DiffView& view, std::ostream& out);
void print_diff_json(const Diff& diff, const DiffView& view, std::ostream& out);

}  // namespace ftprof
