// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/sqlite/colmap_schema.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "adasample/base/error.h"

namespace adasample {
namespace {

// tests/golden/colmap/schema_3.8.txt is what COLMAP itself makes.
constexpr const char* kTables = R"(
CREATE TABLE cameras (
  camera_id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, model INTEGER NOT NULL, width INTEGER NOT NULL,
  height INTEGER NOT NULL, params BLOB, prior_focal_length INTEGER NOT NULL);
CREATE TABLE images (
  image_id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name TEXT NOT NULL UNIQUE, camera_id INTEGER NOT NULL,
  prior_qw REAL, prior_qx REAL, prior_qy REAL, prior_qz REAL, prior_tx REAL, prior_ty REAL, prior_tz REAL,
  CONSTRAINT image_id_check CHECK(image_id >= 0 and image_id < 2147483647),
  FOREIGN KEY(camera_id) REFERENCES cameras(camera_id));
CREATE UNIQUE INDEX index_name ON images(name);
CREATE TABLE keypoints (
  image_id INTEGER PRIMARY KEY NOT NULL, rows INTEGER NOT NULL, cols INTEGER NOT NULL, data BLOB,
  FOREIGN KEY(image_id) REFERENCES images(image_id) ON DELETE CASCADE);
CREATE TABLE descriptors (
  image_id INTEGER PRIMARY KEY NOT NULL, rows INTEGER NOT NULL, cols INTEGER NOT NULL, data BLOB,
  FOREIGN KEY(image_id) REFERENCES images(image_id) ON DELETE CASCADE);
CREATE TABLE matches (pair_id INTEGER PRIMARY KEY NOT NULL, rows INTEGER NOT NULL, cols INTEGER NOT NULL, data BLOB);
CREATE TABLE two_view_geometries (
  pair_id INTEGER PRIMARY KEY NOT NULL, rows INTEGER NOT NULL, cols INTEGER NOT NULL, data BLOB,
  config INTEGER NOT NULL, F BLOB, E BLOB, H BLOB, qvec BLOB, tvec BLOB);
PRAGMA user_version = 3800;
)";

// What is written, by table; from `optional` on only where it is there.
struct Table {
  std::string name;
  std::vector<std::string> columns;
  bool optional = false;
};
const std::array kWritten = {
    Table{"cameras", {"camera_id", "model", "width", "height", "params", "prior_focal_length"}},
    Table{"images", {"image_id", "name", "camera_id"}},
    Table{"keypoints", {"image_id", "rows", "cols", "data"}},
    Table{"descriptors", {"image_id", "rows", "cols", "data"}},
    Table{"matches", {"pair_id", "rows", "cols", "data"}},
    Table{"two_view_geometries", {"pair_id", "rows", "cols", "data", "config", "F", "E", "H"}},
    Table{"rigs", {"rig_id", "ref_sensor_id", "ref_sensor_type"}, true},
    Table{"frames", {"frame_id", "rig_id"}, true},
    Table{"frame_data", {"frame_id", "data_id", "sensor_id", "sensor_type"}, true},
};

struct Column {
  std::string name;
  bool wanted = false;  // may not be left out
};

std::vector<Column> columns_of(const Sqlite& database, const std::string& table) {
  std::vector<Column> columns;
  SqliteStatement query(database, "SELECT name, \"notnull\" AND dflt_value IS NULL FROM pragma_table_info(?1)");
  query.begin(table);
  while (query.step()) columns.push_back({query.text(0), query.integer(1) != 0});
  return columns;
}

void check_table(const Sqlite& database, const Table& table) {
  const std::vector<Column> columns = columns_of(database, table.name);
  if (columns.empty() && table.optional) return;
  ADA_CHECK(!columns.empty(), "[colmap] {}: expected COLMAP's database, found no table {}", database.label(),
            table.name);
  for (const std::string& name : table.columns) {
    ADA_CHECK(std::any_of(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; }),
              "[colmap] {}: expected COLMAP's database, found no column {} in table {}", database.label(), name,
              table.name);
  }
  for (const Column& column : columns) {
    const bool known = std::find(table.columns.begin(), table.columns.end(), column.name) != table.columns.end() ||
                       (table.name == "descriptors" && column.name == "type");
    ADA_CHECK(known || !column.wanted,
              "[colmap] {}: table {} wants a column {} that this program does not know (user_version {}) - made by a "
              "newer COLMAP? write a new database and let it migrate that",
              database.label(), table.name, column.name, sqlite_number(database, "PRAGMA user_version"));
  }
}

}  // namespace

void create_colmap_tables(Sqlite& database) { database.run(kTables); }

bool has_column(const Sqlite& database, const std::string& table, const std::string& column) {
  const std::vector<Column> columns = columns_of(database, table);
  return std::any_of(columns.begin(), columns.end(), [&](const Column& c) { return c.name == column; });
}

void check_colmap_tables(const Sqlite& database) {
  for (const Table& table : kWritten) check_table(database, table);
}

}  // namespace adasample
