// A build without the page (-Dhtml=disabled, or no npm): this program brings html/absent.cpp, which
// stands in for the page that the library would have.
#include <gtest/gtest.h>

#include <sstream>

#include "analyzer/bad_input.h"
#include "analyzer/html_page.h"
#include "analyzer/print_html.h"
#include "tests/unit/make_result.h"

namespace ftprof {
namespace {

TEST(HtmlAbsentTest, SaysInOneLineWhatIsMissingAndWhatToDo) {
  ASSERT_TRUE(kHtmlPage.empty());
  std::ostringstream out;
  try {
    print_html(out, testing::result({testing::site({"load"}, 1)}));
    FAIL() << "it printed a page";
  } catch (const BadInput& none) {
    std::string what = none.what();
    EXPECT_NE(what.find("npm"), std::string::npos);
    EXPECT_NE(what.find("-Dhtml=enabled"), std::string::npos);
    EXPECT_EQ(what.find('\n'), std::string::npos);
  }
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace ftprof
