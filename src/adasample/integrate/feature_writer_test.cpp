// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/feature_writer.h"

#include <gtest/gtest.h>

#include <fstream>

#include "adasample/base/files/file_io.h"
#include "adasample/base/files/npy.h"
#include "adasample/features/keypoint_list.h"
#include "adasample/integrate/given_keypoints.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;

const PictureFeatures kFirst = {.name = "a.jpg",
                                .width = 100,
                                .height = 80,
                                .keypoints = {{.x = 1, .y = 2, .sigma = 3}, {.x = 4, .y = 5, .sigma = 6}},
                                .descriptors = {0.25f, 0.5f, 0, 1}};
const PictureFeatures kEmpty = {.name = "b.jpg", .width = 9, .height = 9, .keypoints = {}, .descriptors = {}};
const PictureFeatures kLast = {
    .name = "c d.jpg", .width = 9, .height = 9, .keypoints = {{.x = 7, .y = 8, .sigma = 9}}, .descriptors = {-1, -2}};

TEST(FeatureWriter, RowsAndTheirKeypointsInOneOrder) {
  const testing::TempFolder folder;
  const auto writer = make_feature_writer(folder / "d.npy", 2, NumberType::kFloat32);
  for (const PictureFeatures& picture : {kFirst, kEmpty, kLast}) writer->add(picture);
  EXPECT_FALSE(std::filesystem::exists(folder / "d.npy") || std::filesystem::exists(folder / "d.keypoints.csv"));
  writer->finish();
  const NpyFile rows(folder / "d.npy");
  EXPECT_EQ(rows.shape(), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(rows.data<float>()[4], -1);
  EXPECT_EQ(read_text(folder / "d.keypoints.csv"),
            "file,x,y,scale,angle\na.jpg,1.000,2.000,3.000,0.000\na.jpg,4.000,5.000,6.000,0.000\n"
            "c d.jpg,7.000,8.000,9.000,0.000\n");
  EXPECT_EQ(keypoints_beside("x/y.csv"), "x/y.keypoints.csv");
}

TEST(FeatureWriter, NothingIsOverwrittenOrHalfThere) {
  const testing::TempFolder folder;
  expect_error([&] { make_feature_writer(folder / "d.txt", 2, NumberType::kFloat32); }, "d.txt", ".npy or .csv");
  make_feature_writer(folder / "d.csv", 2, NumberType::kUint8)->add(kFirst);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  write_file_atomically(folder / "d.keypoints.csv", "mine");
  expect_error([&] { make_feature_writer(folder / "d.csv", 2, NumberType::kUint8); },
               "d.keypoints.csv: already exists");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(FeatureWriter, AListDoesNotStayWithoutItsRows) {
  const testing::TempFolder folder;
  const auto writer = make_feature_writer(folder / "d.npy", 2, NumberType::kFloat32);
  writer->add(kFirst);
  std::ofstream(folder / "d.npy") << "another program's";
  expect_error([&] { writer->finish(); }, "d.npy: already exists");
  EXPECT_FALSE(std::filesystem::exists(folder / "d.keypoints.csv"));
}

TEST(GivenKeypoints, OfAListAndOfColmapsText) {
  const testing::TempFolder folder;
  write_file_atomically(folder / "k.csv", format_keypoint_list({{"a.jpg", kFirst.keypoints}}));
  const KeypointReader list = open_keypoints(folder / "k.csv");
  EXPECT_EQ(list("a.jpg").keypoints.size(), 2u);
  EXPECT_TRUE(list("a.jpg").scaled && list("a.jpg").oriented);
  EXPECT_TRUE(list("b.jpg").keypoints.empty());
  write_file_atomically(folder / "k.txt", "1 0\n10.5 20.5 3 0\n");
  EXPECT_EQ(open_keypoints(folder / "k.txt")("anything").keypoints.at(0).x, 10);
  EXPECT_TRUE(holds_one_picture("k.txt"));
  EXPECT_FALSE(holds_one_picture("k.csv") || holds_one_picture("k.h5"));
  expect_error([&] { open_keypoints(folder / "k.json"); }, "k.json", ".csv, .txt or .h5");
  expect_error([&] { open_keypoints(folder / "no.csv"); }, "no.csv");
}

}  // namespace
}  // namespace adasample
