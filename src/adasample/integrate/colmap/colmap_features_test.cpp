// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/colmap_features.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

TEST(ColmapFeatures, PlacesScalesAndOrientations) {
  const auto keypoints = parse_colmap_features("2 3\n10.5 20.5 2 0.5 1 2 3\r\n0.5 0.5 1.5 -1 4 5 255\n\n", "a.txt");
  ASSERT_EQ(keypoints.size(), 2u);
  EXPECT_EQ(keypoints[0].x, 10);
  EXPECT_EQ(keypoints[0].y, 20);
  EXPECT_EQ(keypoints[0].sigma, 2);
  EXPECT_EQ(keypoints[0].angle, 0.5);
  EXPECT_EQ(keypoints[1].angle, -1);
  EXPECT_EQ(parse_colmap_features("1 0\n3 4 5 6\n", "a.txt").size(), 1u) << "keypoints alone";
  EXPECT_TRUE(parse_colmap_features("0 128\n", "a.txt").empty());
}

TEST(ColmapFeatures, RefusesAnythingElse) {
  const auto refuses = [](const std::string& text, const auto&... parts) {
    testing::expect_error([&] { parse_colmap_features(text, "a.txt"); }, "[colmap] a.txt", parts...);
  };
  refuses("", "`NUM DIM`", "empty file");
  refuses("\x89PNG", ":1:", "two whole numbers");
  refuses("2\n", ":1:", "two whole numbers", "'2'");
  refuses("-1 0\n", ":1:", "0 or more", "'-1'");
  refuses("1.5 0\n", ":1:", "the number of keypoints", "'1.5'");
  refuses("1 -2\n", ":1:", "a dimension of 0 to 100000", "'-2'");
  refuses("1 99999999999999\n", ":1:", "a dimension");
  refuses("2 0\n1 2 3 4\n", "expected 2 keypoints, found 1", "truncated");
  refuses("9000000000000000000 0\n1 2 3 4\n", "found 1");
  refuses("1 0\n1 2 3 4\n5 6 7 8\n", ":3:", "1 keypoints", "one more line");
  refuses("1 1\n1 2 3 4\n", ":2:", "5 numbers", "4 fields");
  refuses("1 0\n1 2 x 4\n", ":2:", "x, y, scale and orientation", "'x'");
  refuses("1 0\n1 2 0 4\n", "keypoint 0", "scale 0");
  refuses("1 0\n1 2 nan 4\n", ":2:", "'nan'");
}

}  // namespace
}  // namespace adasample
