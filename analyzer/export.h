// A Result for the tools that people already use. Each writes one complete file; what the formats
// hold is in docs/export.md. Totals are the report's.
#pragma once

#include <ostream>
#include <string>

#include "analyzer/bill_samples.h"
#include "analyzer/result.h"

namespace ftprof {

void export_pprof(std::ostream& out, const Result& result);
void export_speedscope(std::ostream& out, const Result& result);
// One value of each stack; `value` says which.
void export_folded(std::ostream& out, const Result& result, SampleValue value = kFaultTime);
void export_perfetto(std::ostream& out, const Result& result);
// Totals, and the `top` dearest sites.
void export_openmetrics(std::ostream& out, const Result& result, size_t top = 20);
void export_sqlite(std::ostream& out, const Result& result);
// One table of the database as CSV. Throws BadInput, naming the tables, when there is none such.
void export_csv_table(std::ostream& out, const Result& result, const std::string& table);
// Every table, NAME.csv in `folder`, which is made.
void export_csv_folder(const std::string& folder, const Result& result);

}  // namespace ftprof
