// make_report rich|hostile|empty|big|compare FORMAT FILE: prints a made-up result the way ftprof
// would, for tests that need figures known beforehand.
#include <fstream>
#include <functional>
#include <iostream>
#include <map>

#include "analyzer/export.h"
#include "analyzer/print_compare.h"
#include "analyzer/print_compare_html.h"
#include "analyzer/print_html.h"
#include "analyzer/result_json.h"
#include "tests/html/fixture.h"

namespace {

int make_comparison(const std::string& format, const char* path) {
  std::ofstream out(path, std::ios::binary);
  auto print = format == "html" ? ftprof::print_compare_html : ftprof::print_compare_json;
  print(ftprof::fixture::comparison(), {}, out);
  return out.flush() ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace ftprof;
  const std::map<std::string, std::function<Result()>> results = {
      {"rich", fixture::rich},
      {"hostile", fixture::hostile},
      {"empty", fixture::empty},
      {"big", [] { return fixture::big(100000); }}};
  const std::map<std::string, std::function<void(std::ostream&, const Result&)>> formats = {
      {"html", print_html},
      {"json", [](auto& out, auto& r) { write_json(r, out); }},
      {"pprof", export_pprof},
      {"speedscope", export_speedscope},
      {"folded", [](auto& out, auto& r) { export_folded(out, r); }},
      {"perfetto", export_perfetto},
      {"openmetrics", [](auto& out, auto& r) { export_openmetrics(out, r); }},
      {"sqlite", export_sqlite}};
  if (argc == 4 && argv[1] == std::string("compare")) return make_comparison(argv[2], argv[3]);
  if (argc != 4 || !results.count(argv[1]) || !formats.count(argv[2])) {
    std::cerr << "usage: make_report rich|hostile|empty|big|compare FORMAT FILE\n";
    return 2;
  }
  std::ofstream out(argv[3], std::ios::binary);
  formats.at(argv[2])(out, results.at(argv[1])());
  return out.flush() ? 0 : 2;
}
