#include "analyzer/html_page.h"

namespace ftprof {

const std::string_view kHtmlPage;

}  // namespace ftprof
