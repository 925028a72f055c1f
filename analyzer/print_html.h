// The HTML report: one file that opens from disk, asks the network for nothing and runs no script
// but its own (a content security policy with the script's hash says so).
// The page is built by npm when ftprof is; a build without it has no page.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>

#include "analyzer/result.h"

namespace ftprof {

// Throws BadInput where this build has no page, with what to do: before a program is run, or a
// large trace is read, for a report that could not be printed.
void require_html_page();

void print_html(std::ostream& out, const Result& result);

// The page around any data that it knows (page_data.h, print_compare_html).
void print_page(std::ostream& out, const nlohmann::json& data);

}  // namespace ftprof
