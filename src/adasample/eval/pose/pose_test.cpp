// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "adasample/base/random/rng.h"
#include "adasample/eval/pose/model_evaluation.h"
#include "adasample/eval/pose/pose_pairs.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using testing::expect_error;

constexpr double kDegree = std::numbers::pi / 180;

Matrix3 about_z(double degrees) {
  const double c = std::cos(degrees * kDegree), s = std::sin(degrees * kDegree);
  return {c, -s, 0, s, c, 0, 0, 0, 1};
}

TEST(Pose, AreaUnderTheCurve) {
  // By hand: lines (0, 0) - (2, 0.25) - (4, 0.5) - (8, 0.75), and one error beyond.
  const std::vector<double> errors = {8, 2, 90, 4};
  EXPECT_NEAR(area_under_curve(errors, 5), (2 * 0.125 + 2 * 0.375 + 1 * 0.5) / 5, 1e-12);
  EXPECT_NEAR(area_under_curve(errors, 10), (0.25 + 0.75 + 4 * 0.625 + 2 * 0.75) / 10, 1e-12);
  EXPECT_EQ(area_under_curve({0, 0, 0}, 5), 1);
  EXPECT_EQ(area_under_curve({180, 5}, 5), 0) << "an error at the limit is not below it";
  EXPECT_EQ(area_under_curve({}, 5), 0);
}

TEST(Pose, TheLargerOfTheTwoErrorsAndTheSignOfTheStep) {
  PosePair truth;
  truth.rotation = about_z(30);
  truth.translation = {0, 3, 0};
  EXPECT_NEAR(pose_error(truth, about_z(34), {0, 1, 0}), 4, 1e-6);
  EXPECT_NEAR(pose_error(truth, about_z(30), {1, 1, 0}), 45, 1e-6);
  EXPECT_NEAR(pose_error(truth, about_z(27), {0, -1, 0}), 3, 1e-6) << "a step has no sign";
}

TEST(Pose, ListsAsTheyArePublished) {
  const std::string k = " 500 0 320 0 510 240 0 0 1";
  const std::string scannet = "a.jpg b.jpg 0 0" + k + k + " 1 0 0 7 0 1 0 8 0 0 1 9 0 0 0 1\n";
  const std::string megadepth = "a.jpg b.jpg" + k + k + " 1 0 0 0 1 0 0 0 1 7 8 9\n";
  for (const std::string& text : {scannet, megadepth}) {
    const auto pairs = parse_pose_pairs(text + "\n" + text, "p.txt");
    ASSERT_EQ(pairs.size(), 2u);
    EXPECT_EQ(pairs[1].second, "b.jpg");
    EXPECT_EQ(pairs[1].first_camera.fy, 510);
    EXPECT_EQ(pairs[1].second_camera.cx, 320);
    EXPECT_EQ(pairs[1].translation, (Vector3{7, 8, 9}));
    EXPECT_EQ(pairs[1].rotation, about_z(0));
  }
  expect_error([&] { parse_pose_pairs("a b 1 0" + k + k + " 1 0 0 7 0 1 0 8 0 0 1 9 0 0 0 1", "p.txt"); },
               "p.txt:1: expected a picture that is not turned");
  expect_error([&] { parse_pose_pairs("a b 3", "p.txt"); }, "p.txt:1: expected 38 or 32 words");
}

constexpr const char* kStrecha =
    "2759.48 0 1520.69 \n0 2764.16 1006.81 \n0 0 1 \n0 0 0\n0 -1 0\n1 0 0\n0 0 1\n-7 8 0.5\n3072 2048\n";

TEST(Pose, StrechasCameras) {
  const TrueCamera camera = parse_strecha_camera(kStrecha, "x.camera");
  EXPECT_EQ(camera.intrinsics.fy, 2764.16);
  EXPECT_EQ(camera.centre, (Vector3{-7, 8, 0.5}));
  EXPECT_EQ(camera.rotation, (Matrix3{0, 1, 0, -1, 0, 0, 0, 0, 1})) << "from the world: turned over";
  const CameraIntrinsics small = camera.intrinsics_at(1536, 1024);
  EXPECT_EQ(small.fx, 2759.48 / 2);
  EXPECT_EQ(small.cx, (1520.69 + 0.5) / 2 - 0.5) << "pixel centres at integers";
  std::string bad = kStrecha;
  bad.replace(bad.find("0 -1 0"), 6, "0 -2 0");
  expect_error([&] { parse_strecha_camera(bad, "x.camera"); }, "expected a rotation");
  expect_error([&] { parse_strecha_camera("1 2 3\n4 5\n", "x.camera"); }, "x.camera:2: expected a row of K");
}

TEST(Reconstruction, AlignsExactly) {
  RngStream rng(RngKey(6, Draw::kPairs));
  const Matrix3 rotation = rotation_of({0.5, -0.5, 0.5, 0.5});
  std::vector<Vector3> from, to;
  for (int i = 0; i < 6; ++i) {
    from.push_back({rng.normal(), rng.normal(), rng.normal()});
    const Vector3 turned = product(rotation, from.back());
    to.push_back({3 * turned[0] + 1, 3 * turned[1] - 2, 3 * turned[2] + 5});
  }
  const Similarity found = align(from, to);
  EXPECT_NEAR(found.scale, 3, 1e-12);
  for (size_t i = 0; i < 9; ++i) EXPECT_NEAR(found.rotation[i], rotation[i], 1e-12);
  EXPECT_NEAR(found.translation[0], 1, 1e-12);
  EXPECT_NEAR(found.translation[2], 5, 1e-12);
  expect_error([&] { align(std::span(from).first(2), std::span(to).first(2)); }, "expected 3 pictures or more");
}

// A model that is the truth in other coordinates, but for one camera that is turned by 2 degrees and one that is
// missing.
TEST(Reconstruction, ErrorsAfterAlignment) {
  std::vector<TrueCamera> truth;
  ColmapModel model;
  const Matrix3 world_from_model = about_z(90);
  for (int i = 0; i < 5; ++i) {
    TrueCamera camera;
    camera.name = std::to_string(i) + ".jpg";
    camera.centre = {static_cast<double>(i), static_cast<double>(i * i % 3), static_cast<double>(i % 2)};
    camera.rotation = about_z(10 * i);
    truth.push_back(camera);
    if (i == 4) continue;
    // In the model: half the size, turned back by 90 degrees.
    const Vector3 c = product(transposed(world_from_model), camera.centre);
    const double angle = (10 * i + 90 + (i == 3 ? 2 : 0)) * kDegree / 2;
    ColmapImage image;
    image.id = static_cast<uint32_t>(i + 1);
    image.name = camera.name;
    image.rotation = {std::cos(angle), 0, 0, std::sin(angle)};
    const Vector3 moved = product(rotation_of(image.rotation), c);
    image.translation = {-moved[0] / 2, -moved[1] / 2, -moved[2] / 2};
    model.images.push_back(image);
  }
  const auto object = evaluate_model(model, truth);
  EXPECT_EQ(object["registered"], 4);
  EXPECT_EQ(object["registered_share"], 0.8);
  EXPECT_NEAR(object["scale"].get<double>(), 2, 1e-9);
  EXPECT_NEAR(object["rotation_degrees"]["largest"].get<double>(), 2, 1e-6);
  EXPECT_NEAR(object["rotation_degrees"]["mean"].get<double>(), 0.5, 1e-5);
  EXPECT_NEAR(object["centre"]["largest"].get<double>(), 0, 1e-9);
  EXPECT_NE(model_table(object).find("4 of 5 pictures registered"), std::string::npos);
}

}  // namespace
}  // namespace adasample
