// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/sqlite/sqlite.h"

#include <utility>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"

namespace adasample {
namespace {

constexpr int kMostBytes = 1 << 29;  // of a row: a million keypoints and their descriptors take 160 MB
constexpr int kMostSql = 1 << 16;
constexpr int kStepsBetweenLooks = 10'000;  // of SQLite's machine: well below a millisecond

}  // namespace

Sqlite::Sqlite(const std::string& name, int flags, std::string label, std::string expected)
    : label_(std::move(label)), expected_(std::move(expected)) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &opened, flags, nullptr);
  connection_.reset(opened);  // also a failed one must be closed
  check(code == SQLITE_OK);
  distrust();
}

// The file may be anybody's: nothing that it brings along is run, nothing in it is longer than what COLMAP writes, and
// a query that goes on and on ends when the program is told to.
void Sqlite::distrust() const {
  sqlite3* const connection = connection_.get();
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, kMostBytes);
  sqlite3_limit(connection, SQLITE_LIMIT_SQL_LENGTH, kMostSql);
  sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_progress_handler(
      connection, kStepsBetweenLooks, [](void*) { return stop_requested() ? 1 : 0; }, nullptr);
}

void Sqlite::wait_for_others(std::chrono::milliseconds patience) {
  check(sqlite3_busy_timeout(connection_.get(), static_cast<int>(patience.count())) == SQLITE_OK);
}

void Sqlite::run(const std::string& statements) {
  check(sqlite3_exec(connection_.get(), statements.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
}

void Sqlite::check(bool ok) const {
  if (ok) return;
  const int code = sqlite3_errcode(connection_.get());
  const char* message = sqlite3_errmsg(connection_.get());
  if (code == SQLITE_INTERRUPT) ADA_THROW_KIND(kInterrupted, "[colmap] {}: interrupted; it is as it was", label_);
  ADA_CHECK(code != SQLITE_BUSY && code != SQLITE_LOCKED,
            "[colmap] {}: another program is using it (SQLite says: {}) - close COLMAP, or wait for it", label_,
            message);
  const bool content = code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR;
  ADA_CHECK(content, "[colmap] {}: cannot be read or written, SQLite says: {}", label_, message);
  ADA_THROW("[colmap] {}: expected {}, SQLite says: {}", label_, expected_, message);
}

SqliteStatement::SqliteStatement(const Sqlite& database, const std::string& sql) : database_(database) {
  sqlite3_stmt* prepared = nullptr;
  database_.check(sqlite3_prepare_v2(database.get(), sql.c_str(), -1, &prepared, nullptr) == SQLITE_OK);
  statement_.reset(prepared);
}

bool SqliteStatement::step() {
  const int code = sqlite3_step(statement_.get());
  database_.check(code == SQLITE_ROW || code == SQLITE_DONE);
  return code == SQLITE_ROW;
}

std::string SqliteStatement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_.get(), column);
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

std::span<const uint8_t> SqliteStatement::blob(int column) const {
  const auto* data = static_cast<const uint8_t*>(sqlite3_column_blob(statement_.get(), column));  // before its size
  return {data, static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

void SqliteStatement::bind(int index, int64_t value) {
  database_.check(sqlite3_bind_int64(statement_.get(), index, value) == SQLITE_OK);
}

void SqliteStatement::bind(int index, const std::string& value) {
  database_.check(sqlite3_bind_text(statement_.get(), index, value.c_str(), -1, SQLITE_TRANSIENT) == SQLITE_OK);
}

void SqliteStatement::bind(int index, std::span<const uint8_t> value) {
  const int code = value.empty()
                       ? sqlite3_bind_zeroblob(statement_.get(), index, 0)
                       : sqlite3_bind_blob64(statement_.get(), index, value.data(), value.size(), SQLITE_STATIC);
  database_.check(code == SQLITE_OK);
}

}  // namespace adasample
