// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/colmap_match_database.h"

#include <gtest/gtest.h>

#include <cstring>

#include "adasample/integrate/colmap/colmap_encoding.h"
#include "adasample/integrate/colmap/colmap_writer.h"
#include "adasample/integrate/colmap/sqlite/sqlite.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;

class MatchDatabase : public ::testing::Test {
 protected:
  MatchDatabase() {
    const auto writer = open_colmap_writer(file_);
    const ColmapCamera camera{.id = 0, .model = 2, .width = 640, .height = 480, .parameters = {768, 320, 240, 0.1}};
    for (const char* name : {"b.jpg", "a.jpg", "empty.jpg"}) {
      const int64_t image = writer->add_image(name, writer->add_camera(camera, std::string(name) == "a.jpg"));
      if (std::string(name) == "empty.jpg") continue;
      writer->set_keypoints(image, std::vector<Keypoint>{{.x = 10, .y = 20, .sigma = 3}, {.x = 1, .y = 2, .sigma = 1}});
      std::vector<float> rows(256);
      rows[3] = rows[128 + 5] = 1;
      writer->set_descriptors(image, colmap_descriptors(rows, ColmapEncoding::kNonNegative, "test"));
    }
    writer->commit();
  }

  Sqlite open() const { return Sqlite(file_.string(), SQLITE_OPEN_READWRITE, file_.string(), "a database"); }

  const testing::TempFolder folder_;
  const std::filesystem::path file_ = folder_ / "c.db";
};

template <typename T>
std::vector<T> blob(const Sqlite& database, const std::string& sql) {
  SqliteStatement query(database, sql);
  query.begin();
  if (!query.step()) return {};
  std::vector<T> values(query.blob(0).size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), query.blob(0).data(), values.size() * sizeof(T));
  return values;
}

TEST_F(MatchDatabase, FeaturesComeBackInColmapsPixels) {
  const auto database = open_colmap_match_database(file_);
  const auto pictures = database->pictures();
  ASSERT_EQ(pictures.size(), 3u);
  EXPECT_EQ(pictures[0].name, "b.jpg") << "by id";
  EXPECT_EQ(pictures[0].keypoints, 2);
  EXPECT_EQ(pictures[2].keypoints, 0);
  EXPECT_FALSE(pictures[0].focal_known);
  EXPECT_TRUE(pictures[1].focal_known);
  EXPECT_EQ(pictures[1].camera.parameters, (std::vector<double>{768, 320, 240, 0.1}));
  const DescribedPicture features = database->features(pictures[1]);
  EXPECT_EQ(features.keypoints[0].x, 10.5);
  EXPECT_EQ(features.keypoints[0].y, 20.5);
  ASSERT_EQ(features.descriptors.size(), 256u);
  EXPECT_EQ(features.descriptors[3], 1);
  EXPECT_EQ(features.descriptors[4], 0);
  expect_error([&] { database->features(pictures[2]); }, "empty.jpg: expected keypoints, found none");
}

TEST_F(MatchDatabase, APairHasBothRowsAsColmapWritesThem) {
  {
    const auto database = open_colmap_match_database(file_);
    EXPECT_TRUE(database->finished().empty());
    TwoView view{
        .kind = TwoViewKind::kUncalibrated, .inliers = {1}, .fundamental = {}, .essential = {}, .homography = {}};
    view.fundamental = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    database->write(colmap_pair_id(1, 2), std::vector<Match>{{0, 1}, {1, 0}}, view);
    database->save();
    database->write(colmap_pair_id(1, 3), {}, {});
  }  // not saved
  const auto again = open_colmap_match_database(file_);
  EXPECT_EQ(again->finished(), std::set<int64_t>{int64_t{2147483647} + 2});
  ASSERT_EQ(again->verified().size(), 1u);
  EXPECT_EQ(again->verified()[0].first, 1);
  EXPECT_EQ(again->verified()[0].second, 2);
  EXPECT_EQ(again->verified()[0].inliers, 1);
  const Sqlite database = open();
  EXPECT_EQ(blob<uint32_t>(database, "SELECT data FROM matches"), (std::vector<uint32_t>{0, 1, 1, 0}));
  EXPECT_EQ(blob<uint32_t>(database, "SELECT data FROM two_view_geometries"), (std::vector<uint32_t>{1, 0}));
  EXPECT_EQ(sqlite_number(database, "SELECT config FROM two_view_geometries"), 3);
  EXPECT_EQ(sqlite_number(database, "SELECT rows FROM matches"), 2);
  EXPECT_EQ(blob<double>(database, "SELECT F FROM two_view_geometries"),
            (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(blob<double>(database, "SELECT E FROM two_view_geometries"), std::vector<double>(9));
  EXPECT_EQ(blob<double>(database, "SELECT qvec FROM two_view_geometries"), (std::vector<double>{1, 0, 0, 0}));
}

TEST_F(MatchDatabase, APairWithoutInliersIsFinishedToo) {
  const auto database = open_colmap_match_database(file_);
  database->write(colmap_pair_id(1, 2), std::vector<Match>{{0, 0}}, {});
  database->save();
  EXPECT_EQ(database->finished().size(), 1u);
  EXPECT_TRUE(database->verified().empty());
  EXPECT_TRUE(blob<double>(open(), "SELECT F FROM two_view_geometries").empty());
  database->clear_matches();
  EXPECT_TRUE(database->finished().empty());
}

TEST_F(MatchDatabase, WhatIsNotColmapsIsRefused) {
  expect_error([&] { open_colmap_match_database(folder_ / "none.db"); }, "found no such file");
  open().run("ALTER TABLE matches ADD COLUMN score INTEGER NOT NULL DEFAULT 0");
  EXPECT_NO_THROW(open_colmap_match_database(file_)) << "it may be left out";
  open().run(
      "DROP TABLE two_view_geometries; CREATE TABLE two_view_geometries (pair_id INTEGER PRIMARY KEY, rows, cols, "
      "data, config, F, E, H, model INTEGER NOT NULL)");
  expect_error([&] { open_colmap_match_database(file_); }, "two_view_geometries wants a column model");
  open().run("DROP TABLE two_view_geometries");
  expect_error([&] { open_colmap_match_database(file_); }, "found no table two_view_geometries");
}

TEST_F(MatchDatabase, RowsOfAnotherSizeAreRefused) {
  open().run("UPDATE descriptors SET cols = 64 WHERE image_id = 2");
  const auto database = open_colmap_match_database(file_);
  expect_error([&] { database->features(database->pictures()[1]); },
               "a.jpg: expected 2 descriptors of 128 bytes, found 2 of 64");
  open().run("UPDATE cameras SET params = x'00' WHERE camera_id = 1");
  expect_error([&] { open_colmap_match_database(file_)->pictures(); }, "expected 4 numbers of a camera, found 1 bytes");
}

}  // namespace
}  // namespace adasample
