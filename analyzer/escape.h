// Text from profiled programs (symbols, paths, thread names, arguments) is hostile until proved
// otherwise. Every printer passes it through here, so that none of it can act on a terminal, break
// a line, or reorder what stands around it. Markup is escaped by the printer of each format.
#pragma once

#include <string>
#include <string_view>

namespace ftprof {

// The same text with every control byte, invalid UTF-8 byte, and invisible or direction-changing
// character shown as \xNN or \u{NNNN}. Printable UTF-8 stays. Line feeds and tabs are escaped too.
std::string printable(std::string_view text);

// Columns that printable() text takes on a terminal.
size_t display_width(std::string_view text);

// At most `columns` wide; what was cut off is shown as "…". fit cuts the end (names), fit_left the
// beginning (paths). A wide character is never halved.
std::string fit(std::string_view text, size_t columns);
std::string fit_left(std::string_view text, size_t columns);

}  // namespace ftprof
