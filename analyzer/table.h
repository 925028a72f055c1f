// A table of texts, made once and printed in the form that is asked for. Cells hold what is to be
// said; escaping it is the printers' work.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace ftprof {

struct Table {
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
    size_t widest = 0;  // in text: longer cells are cut; 0 is no limit
    bool code = false;  // in markdown: names, set as code
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  // each as long as columns
};

void print_table_text(const Table& table, std::ostream& out);
void print_table_markdown(const Table& table, std::ostream& out);
void print_table_csv(const Table& table, std::ostream& out);  // RFC 4180, lines end in \n

// The text with nothing in it that markdown, HTML within markdown, or a terminal acts on.
std::string markdown_text(std::string_view text);
std::string markdown_code(std::string_view text);  // as a code span

}  // namespace ftprof
