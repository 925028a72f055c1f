// Bytes made small for a file that carries them: deflate and gzip (zlib), base64 for text files.
#pragma once

#include <string>
#include <string_view>

namespace ftprof {

// RFC 1952, what pprof and every gunzip reads. The header carries no time and no name, so that
// equal input gives equal bytes.
std::string gzip(std::string_view bytes);

// RFC 4648, with padding, in one line.
std::string base64(std::string_view bytes);

}  // namespace ftprof
