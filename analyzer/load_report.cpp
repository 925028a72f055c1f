#include "analyzer/load_report.h"

#include <filesystem>

#include "analyzer/analyze.h"
#include "analyzer/result_json.h"

namespace ftprof {

Result load_report(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return analyze({path});
  return read_json_file(path);
}

}  // namespace ftprof
