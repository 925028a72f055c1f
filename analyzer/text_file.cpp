#include "analyzer/text_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "analyzer/bad_input.h"

namespace ftprof {

std::string read_text_file(const std::string& path, const std::string& what) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  // A folder opens and fails only when it is read.
  if (!file.is_open() || file.bad() || errno == EISDIR)
    throw BadInput(path + ": cannot be read (" + std::strerror(errno) + "); name a readable " +
                   what);
  return text;
}

}  // namespace ftprof
