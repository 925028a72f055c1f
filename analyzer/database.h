// A database in memory, over SQLite: what the sqlite and csv exports fill and write out.
// Every failure is std::runtime_error with SQLite's words; none is expected.
#pragma once

#include <sqlite3.h>

#include <optional>
#include <string>
#include <vector>

namespace ftprof {

class Database {
 public:
  Database();
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql);
  std::string bytes() const;  // the file
  std::vector<std::string> tables() const;
  sqlite3* handle() const { return db_; }

 private:
  sqlite3* db_ = nullptr;
};

// An INSERT of one row after another.
class Insert {
 public:
  // `columns` question marks are made for the values.
  Insert(Database& db, const std::string& table, int columns);
  ~Insert();
  Insert(const Insert&) = delete;
  Insert& operator=(const Insert&) = delete;

  template <class... Values>
  void operator()(const Values&... values) {
    at_ = 0;
    (bind(values), ...);
    step();
  }

 private:
  void bind(int64_t value);
  void bind(uint64_t value) { bind(static_cast<int64_t>(value)); }
  void bind(int value) { bind(int64_t{value}); }
  void bind(uint32_t value) { bind(int64_t{value}); }
  void bind(bool value) { bind(int64_t{value}); }
  void bind(double value);
  void bind(const std::string& value);
  void bind(const char* value) { bind(std::string(value)); }
  void bind(std::nullopt_t);
  template <class Value>
  void bind(const std::optional<Value>& value) {
    if (value)
      bind(*value);
    else
      bind(std::nullopt);
  }
  void step();

  Database& db_;
  sqlite3_stmt* statement_ = nullptr;
  int at_ = 0;
};

}  // namespace ftprof
