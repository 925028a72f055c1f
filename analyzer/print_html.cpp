#include "analyzer/print_html.h"

#include "analyzer/bad_input.h"
#include "analyzer/html_page.h"
#include "analyzer/packed.h"
#include "analyzer/page_data.h"

namespace ftprof {

void require_html_page() {
  if (kHtmlPage.empty())
    throw BadInput(
        "the HTML report was not built into this ftprof (-Dhtml=disabled, or npm was missing); "
        "install nodejs and npm, then: meson configure -Dhtml=enabled && ninja");
}

void print_page(std::ostream& out, const nlohmann::json& data) {
  require_html_page();
  std::string_view page = kHtmlPage;
  size_t at = page.find(kHtmlDataMark);
  out << page.substr(0, at) << base64(gzip(data.dump()))
      << page.substr(at + std::string_view(kHtmlDataMark).size());
}

void print_html(std::ostream& out, const Result& result) {
  print_page(out, page_data(result));
}

}  // namespace ftprof
