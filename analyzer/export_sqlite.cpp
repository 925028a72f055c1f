#include "analyzer/export.h"
#include "analyzer/fill_database.h"

namespace ftprof {

void export_sqlite(std::ostream& out, const Result& result) {
  Database db;
  fill_database(db, result);
  out << db.bytes();
}

}  // namespace ftprof
