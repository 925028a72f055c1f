// The run.json that `ftprof run` leaves beside the traces.
#include "analyzer/run_totals.h"
#include "tests/fuzz/target.h"

void parse(std::string_view input) {
  (void)ftprof::parse_run_record(input);
}
