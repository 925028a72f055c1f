#include "analyzer/load_report.h"

#include "analyzer/result_json.h"

namespace ftprof {

Result load_report(const std::string& path) {
  return read_json_file(path);
}

}  // namespace ftprof
