// The HTML report: one file that opens from disk, asks the network for nothing and runs no script
// but its own (a content security policy with the script's hash says so).
// The page is built by npm when ftprof is; a build without it has no page.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>

#include "analyzer/bad_input.h"
#include "analyzer/result.h"

namespace ftprof {

// Thrown when this build has no page; what() says so and what to do.
struct NoHtmlPage : BadInput {
  NoHtmlPage();
};

void print_html(std::ostream& out, const Result& result);

// The page around any data that it knows (page_data.h, print_compare_html).
void print_page(std::ostream& out, const nlohmann::json& data);

}  // namespace ftprof
