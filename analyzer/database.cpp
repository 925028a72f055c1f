#include "analyzer/database.h"

#include <stdexcept>

namespace ftprof {

namespace {

void check(sqlite3* db, int status) {
  if (status == SQLITE_OK || status == SQLITE_DONE || status == SQLITE_ROW) return;
  throw std::runtime_error(std::string("sqlite: ") + sqlite3_errmsg(db));
}

}  // namespace

Database::Database() {
  check(db_, sqlite3_open(":memory:", &db_));
}

Database::~Database() {
  sqlite3_close(db_);
}

void Database::run(const std::string& sql) {
  check(db_, sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr));
}

std::string Database::bytes() const {
  sqlite3_int64 size = 0;
  unsigned char* file = sqlite3_serialize(db_, "main", &size, 0);
  if (!file) throw std::runtime_error("sqlite: out of memory");
  std::string bytes(reinterpret_cast<char*>(file), static_cast<size_t>(size));
  sqlite3_free(file);
  return bytes;
}

std::vector<std::string> Database::tables() const {
  std::vector<std::string> names;
  auto take = [](void* to, int, char** text, char**) {
    static_cast<std::vector<std::string>*>(to)->push_back(text[0]);
    return 0;
  };
  check(db_, sqlite3_exec(db_, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
                          take, &names, nullptr));
  return names;
}

Insert::Insert(Database& db, const std::string& table, int columns) : db_(db) {
  std::string sql = "INSERT INTO " + table + " VALUES (?";
  for (int i = 1; i < columns; i++) sql += ", ?";
  sql += ")";
  check(db.handle(), sqlite3_prepare_v2(db.handle(), sql.c_str(), -1, &statement_, nullptr));
}

Insert::~Insert() {
  sqlite3_finalize(statement_);
}

void Insert::bind(int64_t value) {
  check(db_.handle(), sqlite3_bind_int64(statement_, ++at_, value));
}

void Insert::bind(double value) {
  check(db_.handle(), sqlite3_bind_double(statement_, ++at_, value));
}

void Insert::bind(const std::string& value) {
  check(db_.handle(), sqlite3_bind_text(statement_, ++at_, value.data(),
                                        static_cast<int>(value.size()), SQLITE_TRANSIENT));
}

void Insert::bind(std::nullopt_t) {
  check(db_.handle(), sqlite3_bind_null(statement_, ++at_));
}

void Insert::step() {
  check(db_.handle(), sqlite3_step(statement_));
  check(db_.handle(), sqlite3_reset(statement_));
}

}  // namespace ftprof
