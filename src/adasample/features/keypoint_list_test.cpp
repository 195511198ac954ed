// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/keypoint_list.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

TEST(KeypointList, SurvivesItsOwnFile) {
  const KeypointList list = {
      {"a b.jpg", {{.x = 1.25, .y = 2, .sigma = 3.5, .angle = std::numbers::pi / 2}}},
      {"sub/x,\"y\".png", {{.x = 10, .y = 20, .sigma = 1, .angle = 0}, {.x = 0, .y = 0, .sigma = 2}}}};
  const std::string text = format_keypoint_list(list);
  EXPECT_EQ(text.substr(0, text.find('\n')), "file,x,y,scale,angle");
  EXPECT_NE(text.find("a b.jpg,1.250,2.000,3.500,90.000\n"), std::string::npos);
  const KeypointList again = parse_keypoint_list(text, "k.csv");
  ASSERT_EQ(again.size(), 2u);
  ASSERT_EQ(again.at("sub/x,\"y\".png").size(), 2u);
  const Keypoint& k = again.at("a b.jpg").front();
  EXPECT_EQ(k.x, 1.25);
  EXPECT_EQ(k.sigma, 3.5);
  EXPECT_NEAR(k.angle, std::numbers::pi / 2, 1e-5);
  const KeypointList blank = {{" x ", {{.x = 1, .y = 2, .sigma = 3}}}};
  EXPECT_EQ(parse_keypoint_list(format_keypoint_list(blank), "k.csv").count(" x "), 1u);
  EXPECT_TRUE(parse_keypoint_list("file,x,y,scale,angle\r\n", "k.csv").empty());
}

TEST(KeypointList, FollowsAReducedPicture) {
  const std::vector<Keypoint> keypoints = {{.x = 100, .y = 60, .sigma = 4, .angle = 1}};
  const std::vector<Keypoint> placed = place_keypoints(keypoints, "a.jpg", GrayImage(60, 40), 2);
  EXPECT_EQ(placed[0].x, 50);
  EXPECT_EQ(placed[0].y, 30);
  EXPECT_EQ(placed[0].sigma, 2);
  EXPECT_EQ(placed[0].angle, 1);
  testing::expect_error([&] { place_keypoints(keypoints, "a.jpg", GrayImage(60, 40), 1); }, "a.jpg", "60 x 40",
                        "(100.0, 60.0)");
  const auto place = [](double x, double y) {
    return place_keypoints({{.x = x, .y = y, .sigma = 4}}, "a.jpg", GrayImage(60, 40), 2);
  };
  EXPECT_EQ(place(-1, 80).size(), 1u);
  testing::expect_error([&] { place(-1.5, 5); }, "a.jpg", "(-1.5, 5.0)");
  testing::expect_error([&] { place(5, -40); }, "a.jpg", "(5.0, -40.0)");
  testing::expect_error([&] { place(5, NAN); }, "a.jpg");
}

TEST(KeypointList, RefusesBadLines) {
  const auto refuses = [](const std::string& line, const auto&... why) {
    testing::expect_error([&] { parse_keypoint_list("file,x,y,scale,angle\n" + line, "k.csv"); },
                          "[keypoints] k.csv:2:", why...);
  };
  testing::expect_error([] { parse_keypoint_list("", "k.csv"); }, "k.csv", "header", "empty file");
  testing::expect_error([] { parse_keypoint_list("x,y\n", "k.csv"); }, "k.csv:1:", "header 'file,x,y,scale,angle'",
                        "'x,y'");
  refuses("a.jpg,1,2,3", "four numbers");
  refuses("a.jpg,1,2,3,4,5", "four numbers");
  refuses("a.jpg", "file,x,y,scale,angle");
  refuses(",1,2,3,4", "file,x,y,scale,angle");
  refuses("\"a.jpg,1,2,3,4", "file,x,y,scale,angle");
  refuses("a.jpg,one,2,3,4", "expected x", "'one'");
  refuses("a.jpg,1,nan,3,4", "expected y", "'nan'");
  refuses("a.jpg,1,2,0,4", "the scale from 0.001", "'0'");
  refuses("a.jpg,1,2,3,999", "angle", "'999'");
  refuses("a.jpg,-5,2,3,9", "expected x from -1", "'-5'");
}

}  // namespace
}  // namespace adasample
