// SPDX-License-Identifier: Apache-2.0
// SQLite in C++: a connection, a statement; every failure an Error that names the database and says what was expected.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace adasample {

struct SqliteClose {
  void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

class Sqlite {
 public:
  // `name` is a path or a URI, `flags` are sqlite3_open_v2's; `label` and `expected` are for messages: "[colmap] label:
  // expected .., SQLite says: ..". What is the disk's fault, or another program's, is told apart from that.
  Sqlite(const std::string& name, int flags, std::string label, std::string expected);

  void wait_for_others(std::chrono::milliseconds patience);  // that use the database; else they are an Error at once
  void run(const std::string& statements);
  int64_t last_id() const { return sqlite3_last_insert_rowid(connection_.get()); }
  sqlite3* get() const { return connection_.get(); }
  const std::string& label() const { return label_; }
  void check(bool ok) const;

 private:
  void distrust() const;

  std::string label_, expected_;
  std::unique_ptr<sqlite3, SqliteClose> connection_;
};

// One statement, run again and again. Must not outlive its connection.
class SqliteStatement {
 public:
  SqliteStatement(const Sqlite& database, const std::string& sql);

  // Begins anew with these values for ?1, ?2, ..; spans must live until the next begin().
  template <typename... Values>
  void begin(const Values&... values) {
    sqlite3_reset(statement_.get());
    int index = 0;
    (bind(++index, values), ...);
  }
  bool step();  // to the next row; false when there is none

  int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  std::string text(int column) const;
  std::span<const uint8_t> blob(int column) const;  // until the next step
  sqlite3_stmt* get() const { return statement_.get(); }

 private:
  void bind(int index, int64_t value);
  void bind(int index, const std::string& value);
  void bind(int index, std::span<const uint8_t> value);

  const Sqlite& database_;
  std::unique_ptr<sqlite3_stmt, SqliteClose> statement_;
};

// The first value of the first row; 0 when there is none.
template <typename... Values>
int64_t sqlite_number(const Sqlite& database, const std::string& sql, const Values&... values) {
  SqliteStatement query(database, sql);
  query.begin(values...);
  return query.step() ? query.integer(0) : 0;
}

}  // namespace adasample
