// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/colmap_database.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>

#include "adasample/base/files/file_io.h"
#include "adasample/base/parallel.h"
#include "adasample/data/patch_store.h"
#include "adasample/image/files/images.h"
#include "adasample/image/files/pgm.h"
#include "tests/support/colmap_scene.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;
using testing::TempFolder;

// COLMAP's tables as far as they matter here.
constexpr const char* kTables =
    "CREATE TABLE images (image_id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL UNIQUE, camera_id INTEGER NOT "
    "NULL);"
    "CREATE TABLE keypoints (image_id INTEGER PRIMARY KEY NOT NULL, rows INTEGER NOT NULL, cols INTEGER NOT NULL, "
    "data BLOB);";

class Writer {
 public:
  explicit Writer(const fs::path& path) { EXPECT_EQ(sqlite3_open(path.c_str(), &connection_), SQLITE_OK); }
  ~Writer() { sqlite3_close(connection_); }

  void run(const std::string& statement) {
    EXPECT_EQ(sqlite3_exec(connection_, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(connection_);
  }
  void add_image(int id, const std::string& name) {
    run(fmt::format("INSERT INTO images VALUES ({}, '{}', 1)", id, name));
  }
  void add_keypoints(int id, int64_t rows, int64_t columns, const std::vector<float>& data) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(data.data());
    std::string hex;
    for (size_t i = 0; i < data.size() * sizeof(float); ++i) hex += fmt::format("{:02x}", bytes[i]);
    run(fmt::format("INSERT INTO keypoints VALUES ({}, {}, {}, x'{}')", id, rows, columns, hex));
  }

 private:
  sqlite3* connection_ = nullptr;
};

void write_database(const fs::path& path) {
  Writer writer(path);
  writer.run("PRAGMA journal_mode=WAL");  // as COLMAP has it
  writer.run(kTables);
  writer.add_image(5, "a.jpg");
  writer.add_image(2, "sub/b.jpg");
  writer.add_image(3, "none.jpg");
  writer.add_image(4, "empty.jpg");
  writer.add_keypoints(5, 2, 4, {10.5f, 20.5f, 2, 0.5f, 30.5f, 40.5f, 3, -0.5f});
  writer.add_keypoints(2, 1, 6, {1, 1, 0, -5, 5, 0});
  writer.add_keypoints(4, 0, 6, {});
}

TEST(ColmapDatabase, KeypointsAreFoundByTheNameOfThePhotograph) {
  EXPECT_TRUE(have_sqlite());
  const TempFolder folder;
  const fs::path path = folder / "data base?#%41.db";  // a name that is no plain URI
  write_database(path);
  const ColmapKeypoints keypoints = open_colmap_keypoints(path);
  ASSERT_EQ(keypoints("a.jpg").size(), 2u);
  EXPECT_EQ(keypoints("a.jpg")[1].x, 30);
  EXPECT_EQ(keypoints("a.jpg")[1].angle, -0.5);
  EXPECT_EQ(keypoints("sub/b.jpg")[0].sigma, 5);
  EXPECT_TRUE(keypoints("empty.jpg").empty());
  expect_error([&] { keypoints("none.jpg"); }, "expected keypoints of 'none.jpg', found none");
  expect_error([&] { keypoints("unknown.jpg"); }, "expected keypoints of 'unknown.jpg', found none");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);  // nothing beside it
}

TEST(ColmapDatabase, WhatIsStillInTheLogIsRead) {
  const TempFolder folder;
  write_database(folder / "a.db");
  Writer writer(folder / "a.db");
  writer.run("UPDATE images SET name = 'new.jpg' WHERE name = 'a.jpg'");
  ASSERT_TRUE(fs::exists(folder / "a.db-wal"));
  EXPECT_EQ(open_colmap_keypoints(folder / "a.db")("new.jpg").size(), 2u);
}

// The journal of a writer that was killed holds what the database was before.
TEST(ColmapDatabase, TheJournalOfACrashedWriterIsHonoured) {
  const TempFolder folder;
  write_database(folder / "a.db");
  Writer writer(folder / "a.db");
  writer.run(
      "PRAGMA journal_mode=DELETE; PRAGMA cache_size=2; BEGIN; UPDATE images SET name = 'half.jpg' WHERE name = "
      "'a.jpg'; INSERT INTO keypoints VALUES (77, 0, 6, zeroblob(2000000))");  // more than it keeps in memory
  fs::create_directory(folder / "crashed");
  for (const char* file : {"a.db", "a.db-journal"}) fs::copy(folder / file, folder / "crashed" / file);
  EXPECT_EQ(open_colmap_keypoints(folder / "crashed/a.db")("a.jpg").size(), 2u);
  EXPECT_FALSE(fs::exists(folder / "crashed/a.db-journal"));
}

TEST(ColmapDatabase, WhatADatabaseBringsAlongIsNotRun) {
  const TempFolder folder;
  write_database(folder / "a.db");
  Writer(folder / "a.db")
      .run(
          "DROP TABLE keypoints; CREATE VIEW keypoints AS SELECT image_id, 1 AS rows, 6 AS cols, "
          "x'00' AS data FROM images");
  expect_error([&] { open_colmap_keypoints(folder / "a.db")("a.jpg"); }, "a.db", "access to view");
}

TEST(ColmapDatabase, SeveralThreadsMayAsk) {
  const TempFolder folder;
  write_database(folder / "a.db");
  const ColmapKeypoints keypoints = open_colmap_keypoints(folder / "a.db");
  std::vector<size_t> counts(200);
  const int before = thread_count();
  set_thread_count(4);
  parallel_for(200,
               [&](int64_t i) { counts[static_cast<size_t>(i)] = keypoints(i % 2 ? "a.jpg" : "sub/b.jpg").size(); });
  set_thread_count(before);
  for (size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(counts[i], i % 2 ? 2u : 1u);
}

TEST(ColmapDatabase, WhatIsNoDatabaseOfColmapIsNamed) {
  const TempFolder folder;
  const fs::path path = folder / "a.db";
  const auto refuses = [&](const auto&... parts) {
    expect_error([&] { open_colmap_keypoints(path)("a.jpg"); }, "[colmap]", "a.db", parts...);
    fs::remove(path);
  };
  refuses("found no such file");
  fs::create_directory(path);
  refuses("found no such file");
  write_file_atomically(path, "");
  refuses("tables images and keypoints", "no such table");
  write_file_atomically(path, std::string(5000, 'x'));
  refuses("not a database");
  Writer(path).run("CREATE TABLE images (image_id INTEGER, name TEXT)");
  refuses("no such table: keypoints");
  Writer(path).run("CREATE TABLE images (image_id INTEGER, name TEXT); CREATE TABLE keypoints (image_id INTEGER)");
  refuses("no such column");
}

TEST(ColmapDatabase, ADamagedDatabaseIsAnErrorNotACrash) {
  const TempFolder folder;
  write_database(folder / "whole.db");
  const std::string whole = read_text(folder / "whole.db");
  int failures = 0;
  for (size_t size = 100; size < whole.size(); size += 512) {  // 100: the header alone
    std::ofstream(folder / "a.db", std::ios::binary | std::ios::trunc) << whole.substr(0, size);
    try {
      open_colmap_keypoints(folder / "a.db")("a.jpg");
    } catch (const Error& error) {
      EXPECT_NE(error.kind(), Error::Kind::kBug) << error.what();
      ++failures;
    }
  }
  EXPECT_GT(failures, 0);
}

TEST(ColmapDatabase, ABlobOfAnotherLengthIsNamed) {
  const TempFolder folder;
  {
    Writer writer(folder / "a.db");
    writer.run(kTables);
    for (int id = 1; id <= 5; ++id) writer.add_image(id, fmt::format("{}.jpg", id));
    writer.add_keypoints(1, 3, 4, {1, 1, 1, 1, 2, 2, 2, 2});
    writer.add_keypoints(2, -1, 4, {});
    writer.add_keypoints(3, int64_t{1} << 62, 4, {});
    writer.add_keypoints(4, 1, 5, {1, 2, 3, 4, 5});
    writer.run("INSERT INTO keypoints VALUES (5, 'two', 4, NULL)");
  }
  const ColmapKeypoints keypoints = open_colmap_keypoints(folder / "a.db");
  expect_error([&] { keypoints("1.jpg"); }, "a.db: 1.jpg: expected 3 x 4 floats, found 32 bytes");
  expect_error([&] { keypoints("2.jpg"); }, "expected -1 x 4 floats");
  expect_error([&] { keypoints("3.jpg"); }, "expected 4611686018427387904 x 4 floats");
  expect_error([&] { keypoints("4.jpg"); }, "2, 4 or 6 columns, found 5");
  EXPECT_TRUE(keypoints("5.jpg").empty());  // text counts as 0, and so many bytes there are
}

// Everything from files: a text model, PGM photographs, a database.
TEST(ColmapDatabase, AStoreIsMadeFromFilesAlone) {
  const TempFolder folder;
  const testing::ColmapScene scene = testing::colmap_scene();
  testing::write_model(folder / "sparse/0", testing::text_files(scene.model), ".txt");
  fs::create_directory(folder / "images");
  {
    Writer writer(folder / "database.db");
    writer.run(kTables);
    for (const ColmapImage& image : scene.model.images) {
      write_pgm(folder / "images" / image.name, scene.photographs.at(image.name));
      std::vector<float> rows;
      for (const Keypoint& k : scene.keypoints.at(image.name)) {
        for (const double value : {k.x + 0.5, k.y + 0.5, k.sigma, k.angle}) rows.push_back(static_cast<float>(value));
      }
      const int id = 100 - static_cast<int>(image.id);  // ids of the database need not be the model's
      writer.add_image(id, image.name);
      writer.add_keypoints(id, std::ssize(rows) / 4, 4, rows);
    }
  }
  const ColmapSources sources{folder / "images", open_colmap_keypoints(folder / "database.db")};
  make_colmap_store(read_colmap_model(folder / "sparse/0"), sources, {}, folder / "files");
  make_colmap_store(scene.model, scene.sources(folder / "images"), {}, folder / "memory");
  const PatchStore files = PatchStore::open(folder / "files"), memory = PatchStore::open(folder / "memory");
  ASSERT_EQ(files.patch_count(), memory.patch_count());
  ASSERT_EQ(files.class_count(), memory.class_count());
  for (int64_t i = 0; i < files.patch_count(); ++i) {
    for (size_t p = 0; p < files.patch(i).size(); ++p) {
      ASSERT_NEAR(files.patch(i)[p], memory.patch(i)[p], 1);  // the database has floats
    }
  }
}

}  // namespace
}  // namespace adasample
