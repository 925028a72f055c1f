// The page that analyzer/html builds, embedded: a document with kHtmlDataMark where the data
// (base64 of gzip of JSON) goes. Empty in a build without npm (html/absent.cpp).
#pragma once

#include <string_view>

namespace ftprof {

extern const std::string_view kHtmlPage;
inline constexpr const char* kHtmlDataMark = "@FTPROF_DATA@";

}  // namespace ftprof
