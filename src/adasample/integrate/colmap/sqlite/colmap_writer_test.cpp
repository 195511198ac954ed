// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/colmap_writer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <thread>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/integrate/colmap/colmap_database.h"
#include "adasample/integrate/colmap/colmap_match_database.h"
#include "adasample/integrate/colmap/sqlite/sqlite.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;
using testing::TempFolder;

// As COLMAP 3.12 and later have them, as far as they differ.
constexpr const char* kNewerTables = R"(
CREATE TABLE rigs (rig_id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, ref_sensor_id INTEGER NOT NULL,
  ref_sensor_type INTEGER NOT NULL);
CREATE TABLE cameras (camera_id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, model INTEGER NOT NULL, width INTEGER NOT
  NULL, height INTEGER NOT NULL, params BLOB, prior_focal_length INTEGER NOT NULL);
CREATE TABLE frames (frame_id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, rig_id INTEGER NOT NULL,
  FOREIGN KEY(rig_id) REFERENCES rigs(rig_id) ON DELETE CASCADE);
CREATE TABLE frame_data (frame_id INTEGER NOT NULL, data_id INTEGER NOT NULL, sensor_id INTEGER NOT NULL, sensor_type
  INTEGER NOT NULL, FOREIGN KEY(frame_id) REFERENCES frames(frame_id) ON DELETE CASCADE);
CREATE TABLE images (image_id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name TEXT NOT NULL UNIQUE, camera_id INTEGER
  NOT NULL, FOREIGN KEY(camera_id) REFERENCES cameras(camera_id));
CREATE TABLE keypoints (image_id INTEGER PRIMARY KEY NOT NULL, rows INTEGER NOT NULL, cols INTEGER NOT NULL, data BLOB);
CREATE TABLE descriptors (image_id INTEGER PRIMARY KEY NOT NULL, type INTEGER NOT NULL, rows INTEGER NOT NULL, cols
  INTEGER NOT NULL, data BLOB);
CREATE TABLE matches (pair_id INTEGER PRIMARY KEY NOT NULL, rows INTEGER NOT NULL, cols INTEGER NOT NULL, data BLOB);
CREATE TABLE two_view_geometries (pair_id INTEGER PRIMARY KEY NOT NULL, rows INTEGER NOT NULL, cols INTEGER NOT NULL,
  data BLOB, config INTEGER NOT NULL, F BLOB, E BLOB, H BLOB, qvec BLOB, tvec BLOB, camera1 INTEGER, camera2 INTEGER);
PRAGMA user_version = 4020000;
)";

Sqlite open(const fs::path& path) {
  return Sqlite(path.string(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path.string(), "a database");
}

const ColmapCamera kCamera{.id = 0, .model = 2, .width = 640, .height = 480, .parameters = {768, 320, 240, 0}};
const std::vector<Keypoint> kKeypoints = {{.x = 10, .y = 20, .sigma = 3, .angle = 0.5}, {.x = 1, .y = 2, .sigma = 1}};

int64_t add(ColmapWriter& writer, const std::string& name) {
  const int64_t image = writer.add_image(name, writer.add_camera(kCamera, true));
  writer.set_keypoints(image, kKeypoints);
  writer.set_descriptors(image, std::vector<uint8_t>(2 * 128, 7));
  return image;
}

// Spacing does not matter, except inside words.
std::string squeezed(const std::string& sql) {
  std::string text;
  for (const char c : sql) {
    const bool space = c == ' ' || c == '\n';
    if (space && (text.empty() || text.ends_with(' ') || text.ends_with(',') || text.ends_with('('))) continue;
    text += space ? ' ' : c;
  }
  return text;
}

TEST(ColmapWriter, ANewDatabaseHasTheTablesThatColmapMakes) {
  const TempFolder folder;
  open_colmap_writer(folder / "a.db")->commit();
  std::vector<std::string> made, expected;
  const Sqlite database = open(folder / "a.db");
  SqliteStatement query(database, "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'");
  while (query.step()) made.push_back(squeezed(query.text(0)));
  made.push_back(fmt::format("user_version {}", sqlite_number(database, "PRAGMA user_version")));
  std::ifstream golden(ADASAMPLE_SOURCE_DIR "/tests/golden/colmap/schema_3.8.txt");
  for (std::string line; std::getline(golden, line);) expected.push_back(squeezed(line));
  EXPECT_EQ(made, expected);
}

TEST(ColmapWriter, WhatIsWrittenIsReadBack) {
  const TempFolder folder;
  {
    const auto writer = open_colmap_writer(folder / "a.db");
    add(*writer, "sub/a.jpg");
    EXPECT_FALSE(fs::exists(folder / "a.db"));
    writer->commit();
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);  // nothing beside it
  const auto keypoints = open_colmap_keypoints(folder / "a.db")("sub/a.jpg");
  ASSERT_EQ(keypoints.size(), 2u);
  EXPECT_EQ(keypoints[0].x, 10);
  EXPECT_NEAR(keypoints[0].sigma, 3, 1e-6);
  EXPECT_NEAR(keypoints[0].angle, 0.5, 1e-6);
  const Sqlite database = open(folder / "a.db");
  SqliteStatement query(
      database,
      "SELECT model, width, height, prior_focal_length, d.rows, d.cols, length(d.data), "
      "k.cols, prior_qw IS NULL AND prior_tx IS NULL, params FROM cameras JOIN images USING (camera_id) JOIN "
      "descriptors d USING (image_id) JOIN keypoints k USING (image_id)");
  ASSERT_TRUE(query.step());
  const std::vector<int64_t> expected = {2, 640, 480, 1, 2, 128, 256, 6, 1};
  for (int i = 0; i < 9; ++i) EXPECT_EQ(query.integer(i), expected[static_cast<size_t>(i)]) << i;
  ASSERT_EQ(query.blob(9).size(), 4 * sizeof(double));
  EXPECT_EQ(std::memcmp(query.blob(9).data(), kCamera.parameters.data(), 4 * sizeof(double)), 0);
  EXPECT_FALSE(query.step());
}

TEST(ColmapWriter, WithoutCommitNothingHappened) {
  const TempFolder folder;
  add(*open_colmap_writer(folder / "a.db"), "a.jpg");
  EXPECT_TRUE(fs::is_empty(folder.path()));
  open_colmap_writer(folder / "a.db")->commit();
  add(*open_colmap_writer(folder / "a.db"), "a.jpg");
  EXPECT_TRUE(open_colmap_writer(folder / "a.db")->images().empty());
}

TEST(ColmapWriter, AnExistingDatabaseIsAddedTo) {
  const TempFolder folder;
  {
    const auto writer = open_colmap_writer(folder / "a.db");
    add(*writer, "b.jpg");
    writer->commit();
  }
  {
    const auto writer = open_colmap_writer(folder / "a.db");
    writer->add_image("a.jpg", 1);
    writer->set_descriptors(1, std::vector<uint8_t>(128, 9));
    writer->commit();
  }
  const auto writer = open_colmap_writer(folder / "a.db");
  const std::vector<ColmapEntry> images = writer->images();
  ASSERT_EQ(images.size(), 2u);
  EXPECT_EQ(images[0].name, "a.jpg");
  EXPECT_FALSE(images[0].described);
  EXPECT_EQ(images[1].id, 1);
  EXPECT_EQ(images[1].width, 640);
  EXPECT_TRUE(images[1].described);
  EXPECT_EQ(images[0].keypoints, 0);
  EXPECT_EQ(images[1].keypoints, 2);
  EXPECT_EQ(writer->keypoints(images[1]).size(), 2u);
  expect_error([&] { writer->keypoints(images[0]); }, "a.db: a.jpg: expected keypoints", "feature_extractor");
}

TEST(ColmapWriter, TheFilesHashIsKept) {
  const TempFolder folder;
  for (const char* hash : {"first", "second"}) {
    const auto writer = open_colmap_writer(folder / "a.db");
    const int64_t id = writer->images().empty() ? add(*writer, "a.jpg") : 1;
    EXPECT_EQ(writer->images()[0].sha256, hash == std::string("first") ? "" : "first");
    writer->set_file(id, hash);
    EXPECT_EQ(writer->images()[0].sha256, hash);
    writer->commit();
  }
  EXPECT_EQ(open_colmap_writer(folder / "a.db")->images()[0].sha256, "second");
}

TEST(ColmapWriter, MatchesAreCountedAndCleared) {
  const TempFolder folder;
  open_colmap_writer(folder / "a.db")->commit();
  open(folder / "a.db")
      .run(
          "INSERT INTO matches VALUES (5, 0, 2, NULL), (6, 0, 2, NULL); INSERT INTO two_view_geometries (pair_id, "
          "rows, "
          "cols, config) VALUES (6, 0, 2, 2), (7, 0, 2, 2)");
  const auto writer = open_colmap_writer(folder / "a.db");
  EXPECT_EQ(writer->match_count(), 3);
  writer->clear_matches();
  EXPECT_EQ(writer->match_count(), 0);
}

TEST(ColmapWriter, NewerDatabasesGetTypesRigsAndFrames) {
  const TempFolder folder;
  open(folder / "a.db").run(kNewerTables);
  {
    const auto writer = open_colmap_writer(folder / "a.db");
    add(*writer, "a.jpg");
    add(*writer, "b.jpg");
    writer->set_descriptors(writer->add_image("c.jpg", 2), std::vector<uint8_t>(128, 9), /*sift=*/false);
    writer->set_file(1, "hash");
    writer->commit();
  }
  {
    const auto matching = open_colmap_match_database(folder / "a.db");
    EXPECT_EQ(matching->pictures().size(), 3u);
    TwoView view;
    view.kind = TwoViewKind::kUncalibrated;
    view.inliers = {1};
    matching->write(colmap_pair_id(1, 2), std::vector<Match>{{.first = 0, .second = 1}, {.first = 1, .second = 0}},
                    view);
    matching->save();
    EXPECT_TRUE(matching->finished().contains(colmap_pair_id(1, 2)));
  }
  const Sqlite database = open(folder / "a.db");
  const auto number = [&](const std::string& sql) { return sqlite_number(database, sql); };
  EXPECT_EQ(number("SELECT count(*) FROM descriptors WHERE type = 0"), 2);
  EXPECT_EQ(number("SELECT count(*) FROM descriptors WHERE type = -1 AND image_id = 3"), 1) << "no SIFT";
  EXPECT_EQ(number("SELECT rows FROM matches"), 2);
  EXPECT_EQ(number("SELECT rows FROM two_view_geometries WHERE config = 3 AND camera1 IS NULL"), 1);
  EXPECT_EQ(number("SELECT count(*) FROM rigs JOIN cameras ON ref_sensor_id = camera_id AND ref_sensor_type = 0"), 2);
  EXPECT_EQ(number("SELECT count(*) FROM images JOIN frame_data ON data_id = image_id AND sensor_id = camera_id AND "
                   "sensor_type = 0 JOIN frames USING (frame_id) JOIN rigs USING (rig_id) WHERE ref_sensor_id = "
                   "camera_id"),
            3);
  EXPECT_EQ(number("PRAGMA user_version"), 4020000) << "COLMAP's own business";
}

TEST(ColmapWriter, WhatIsNoDatabaseOfColmapIsRefusedAndStaysAsItWas) {
  const TempFolder folder;
  const fs::path path = folder / "a.db";
  const auto refuses = [&](const auto&... parts) {
    const std::string before = read_text(path);
    expect_error([&] { open_colmap_writer(path); }, "[colmap]", "a.db", parts...);
    EXPECT_EQ(read_text(path), before);
    fs::remove(path);
  };
  write_file_atomically(path, std::string(5000, 'x'));
  refuses("not a database");
  write_file_atomically(path, "");
  refuses("found no table cameras");
  open(path).run("CREATE TABLE notes (text TEXT)");
  refuses("found no table cameras");
  open_colmap_writer(path)->commit();
  open(path).run("ALTER TABLE images RENAME COLUMN name TO title");
  refuses("found no column name in table images");
  open_colmap_writer(path)->commit();
  open(path).run("ALTER TABLE keypoints ADD COLUMN quality INTEGER NOT NULL DEFAULT 3");
  EXPECT_NO_THROW(open_colmap_writer(path)) << "may be left out";
  open(path).run(
      "DROP TABLE keypoints; CREATE TABLE keypoints (image_id INTEGER, rows INTEGER, cols INTEGER, data "
      "BLOB, quality INTEGER NOT NULL)");
  refuses("keypoints wants a column quality", "user_version 3800", "newer COLMAP");
  expect_error([&] { open_colmap_writer(folder / "no folder" / "a.db"); }, "no folder");
  fs::create_directory(path);
  expect_error([&] { open_colmap_writer(path); }, "[colmap]", "a.db");
}

TEST(ColmapWriter, ALockedDatabaseIsNamed) {
  const TempFolder folder;
  open_colmap_writer(folder / "a.db")->commit();
  Sqlite other = open(folder / "a.db");
  other.run("BEGIN IMMEDIATE");
  expect_error([&] { open_colmap_writer(folder / "a.db", std::chrono::milliseconds(20)); },
               "a.db: another program is using it", "close COLMAP");
  other.run("ROLLBACK");
  EXPECT_NO_THROW(open_colmap_writer(folder / "a.db"));
  const auto first = open_colmap_writer(folder / "b.db");
  expect_error([&] { open_colmap_writer(folder / "b.db"); }, "b.db", "another process is writing it");
}

TEST(ColmapWriter, AShortUseByAnotherProgramIsWaitedFor) {
  const TempFolder folder;
  open_colmap_writer(folder / "a.db")->commit();
  Sqlite other = open(folder / "a.db");
  other.run("BEGIN IMMEDIATE");
  std::thread short_use([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    other.run("ROLLBACK");
  });
  EXPECT_NO_THROW(open_colmap_writer(folder / "a.db"));
  short_use.join();
}

TEST(ColmapWriter, ANewDatabaseReplacesNothing) {
  const TempFolder folder;
  const fs::path path = folder / "a.db";
  const auto writer = open_colmap_writer(path);
  std::ofstream(path) << "another program's";
  expect_error([&] { writer->commit(); }, "a.db: already exists");
  EXPECT_EQ(read_text(path), "another program's");
  for (const std::string ending : {"-wal", "-journal"}) {
    write_file_atomically(folder / ("b.db" + ending), "left behind");
    expect_error([&] { open_colmap_writer(folder / "b.db"); }, "[colmap]", "b.db: expected no journal",
                 "b.db" + ending);
    fs::remove(folder / ("b.db" + ending));
  }
  fs::create_symlink("/nonexistent", folder / "c.db");
  expect_error([&] { open_colmap_writer(folder / "c.db"); }, "c.db: already exists");
}

// A limit on pages is what SQLite itself calls a full disk.
TEST(ColmapWriter, WhatTheDiskRefusesIsNotBlamedOnTheContent) {
  const TempFolder folder;
  open_colmap_writer(folder / "a.db")->commit();
  const auto message = [](const auto& work) {
    try {
      work();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  Sqlite full((folder / "a.db").string(), SQLITE_OPEN_READWRITE, "a.db", "COLMAP's database");
  full.run("PRAGMA max_page_count = 1");
  EXPECT_EQ(message([&] { full.run("CREATE TABLE more (a); INSERT INTO more VALUES (randomblob(100000))"); }),
            "[colmap] a.db: cannot be read or written, SQLite says: database or disk is full");
  Sqlite fixed((folder / "a.db").string(), SQLITE_OPEN_READONLY, "a.db", "COLMAP's database");
  EXPECT_EQ(message([&] { fixed.run("DELETE FROM images"); }),
            "[colmap] a.db: cannot be read or written, SQLite says: attempt to write a readonly database");
}

}  // namespace
}  // namespace adasample
