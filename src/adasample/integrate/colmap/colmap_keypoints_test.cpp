// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/colmap_keypoints.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using testing::expect_error;

constexpr double kFloat = 1e-5;  // relative accuracy of 32-bit floats, with room

TEST(ColmapKeypoints, TheFirstPixelCentreMovesFromHalfToZero) {
  const std::vector<float> rows = {0.5f, 0.5f, 2, 0, 20.5f, 31.75f, 3, 1};
  const auto keypoints = colmap_keypoints(rows, 4, "db");
  ASSERT_EQ(keypoints.size(), 2u);
  EXPECT_EQ(keypoints[0].x, 0);
  EXPECT_EQ(keypoints[0].y, 0);
  EXPECT_EQ(keypoints[1].x, 20);
  EXPECT_EQ(keypoints[1].y, 31.25);
  EXPECT_EQ(keypoints[1].sigma, 3);
  EXPECT_EQ(keypoints[1].angle, 1);
}

TEST(ColmapKeypoints, AnAffineMapHasAMeanScaleAndTheFirstColumnsOrientation) {
  const auto turned = static_cast<float>(std::sqrt(0.5));  // by 45 degrees, from +x to +y
  const std::vector<float> rows = {1, 1, 4 * turned, -2 * turned, 4 * turned, 2 * turned,  //
                                   1, 1, 0,          -5,          5,          0};
  const auto keypoints = colmap_keypoints(rows, 6, "db");
  EXPECT_NEAR(keypoints[0].sigma, 3, 3 * kFloat);
  EXPECT_NEAR(keypoints[0].angle, std::numbers::pi / 4, kFloat);
  EXPECT_NEAR(keypoints[1].sigma, 5, 5 * kFloat);
  EXPECT_NEAR(keypoints[1].angle, std::numbers::pi / 2, kFloat);
}

TEST(ColmapKeypoints, PlacesOnlyHaveNoScale) {
  const auto keypoints = colmap_keypoints(std::vector<float>{1, 2, 3, 4}, 2, "db");
  ASSERT_EQ(keypoints.size(), 2u);
  EXPECT_EQ(keypoints[1].x, 2.5);
  EXPECT_EQ(keypoints[1].sigma, 0);
  EXPECT_EQ(keypoints[1].angle, 0);

  std::vector<float> identities = {1, 2, 1, 0, 0, 1, 3, 4, 1, 0, 0, 1};
  EXPECT_EQ(colmap_keypoints(identities, 6, "db")[0].sigma, 0);
  identities[2] = 2;  // one that is no identity: the others' scale of 1 is meant
  EXPECT_EQ(colmap_keypoints(identities, 6, "db")[1].sigma, 1);
  EXPECT_TRUE(colmap_keypoints({}, 2, "db").empty());
}

TEST(ColmapKeypoints, RowsAsColmapWritesThem) {
  const std::vector<Keypoint> keypoints = {{.x = 20, .y = 31.25, .sigma = 2, .angle = std::numbers::pi / 2},
                                           {.x = 0, .y = -0.25, .sigma = 0.7, .angle = -2}};
  const std::vector<float> rows = colmap_keypoint_rows(keypoints);
  const std::vector<float> first = {20.5f, 31.75f, 0, -2, 2, 0};
  ASSERT_EQ(rows.size(), 12u);
  for (size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(rows[i], first[i], kFloat) << i;
  const std::vector<Keypoint> again = colmap_keypoints(rows, 6, "db");
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(again[i].x, keypoints[i].x, kFloat);
    EXPECT_NEAR(again[i].y, keypoints[i].y, kFloat);
    EXPECT_NEAR(again[i].sigma, keypoints[i].sigma, kFloat);
    EXPECT_NEAR(again[i].angle, keypoints[i].angle, kFloat);
  }
}

TEST(ColmapKeypoints, NumbersThatCannotBeAreNamedByRow) {
  expect_error([] { colmap_keypoints(std::vector<float>(6), 3, "db"); }, "2, 4 or 6 columns, found 3");
  const auto refuses = [](float x, float scale, float angle, const auto&... parts) {
    const std::vector<float> rows = {1, 1, 1, 0, x, 1, scale, angle};
    expect_error([&] { colmap_keypoints(rows, 4, "db"); }, "[colmap] db: keypoint 1: expected a place", parts...);
  };
  refuses(1, 0, 0, "scale 0,");
  refuses(1, -1, 0, "scale -1,");
  refuses(1, NAN, 0, "scale nan");
  refuses(1, INFINITY, 0, "scale inf");
  refuses(NAN, 1, 0, "(nan, 0.5)");
  refuses(1e9f, 1, 0, "(999999999.5, 0.5)");
  refuses(1, 1, NAN, "orientation nan");
}

}  // namespace
}  // namespace adasample
