#include "analyzer/print_html.h"

#include "analyzer/html_page.h"
#include "analyzer/packed.h"
#include "analyzer/page_data.h"

namespace ftprof {

NoHtmlPage::NoHtmlPage()
    : BadInput(
          "the HTML report was not built into this ftprof (-Dhtml=disabled, or npm was missing); "
          "install nodejs and npm, then: meson configure -Dhtml=enabled && ninja") {}

void print_page(std::ostream& out, const nlohmann::json& data) {
  std::string_view page = kHtmlPage;
  size_t at = page.find(kHtmlDataMark);
  if (at == page.npos) throw NoHtmlPage();
  out << page.substr(0, at) << base64(gzip(data.dump()))
      << page.substr(at + std::string_view(kHtmlDataMark).size());
}

void print_html(std::ostream& out, const Result& result) {
  print_page(out, page_data(result));
}

}  // namespace ftprof
