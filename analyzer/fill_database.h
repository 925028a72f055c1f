// A Result as the tables of sql_schema.h. Site, thread, process and phase ids are indexes into the
// Result's vectors; sites come dearest first.
#pragma once

#include "analyzer/database.h"
#include "analyzer/result.h"

namespace ftprof {

void fill_database(Database& db, const Result& result);

}  // namespace ftprof
