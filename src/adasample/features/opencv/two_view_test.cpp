// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match/two_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "adasample/base/random/rng.h"
#include "tests/support/expect_error.h"
#include "tests/support/opencv.h"

namespace adasample {
namespace {

[[maybe_unused]] const bool kUsesOpencv = testing::have_opencv();

constexpr CameraIntrinsics kCamera = {.fx = 500, .fy = 510, .cx = 320, .cy = 240, .distortion = {}};
constexpr double kAngle = 0.1;

struct TwoPictures {
  std::vector<Point2> first, second;
};

enum class World { kDeep, kPlane, kNone };

// 200 matches, one in four of them wrong; the second camera is a step to the right of the first and turned to it.
TwoPictures look_at(World world) {
  RngStream rng(RngKey(8, Draw::kPairs));
  TwoPictures seen;
  for (int i = 0; i < 200; ++i) {
    const Point2 p{rng.uniform(0, 640), rng.uniform(0, 480)};
    Point2 q{rng.uniform(0, 640), rng.uniform(0, 480)};
    if (i % 4 != 0 && world != World::kNone) {
      const double z = world == World::kDeep ? rng.uniform(2, 6) : 3;
      const double x = (p.x - kCamera.cx) / kCamera.fx * z - 0.4, y = (p.y - kCamera.cy) / kCamera.fy * z;
      const double c = std::cos(kAngle), s = std::sin(kAngle), u = c * x + s * z, w = -s * x + c * z;
      q = {kCamera.cx + kCamera.fx * u / w + 0.1 * rng.normal(), kCamera.cy + kCamera.fy * y / w + 0.1 * rng.normal()};
    }
    seen.first.push_back(p);
    seen.second.push_back(q);
  }
  return seen;
}

TwoView view_of(const TwoPictures& seen, bool calibrated) {
  const CameraIntrinsics* camera = calibrated ? &kCamera : nullptr;
  return estimate_two_view(seen.first, seen.second, camera, camera, {});
}

// The 150 true ones, and few that agree by chance.
void expect_true_inliers(const TwoView& view) {
  const auto wrong = std::count_if(view.inliers.begin(), view.inliers.end(), [](uint32_t i) { return i % 4 == 0; });
  EXPECT_GE(std::ssize(view.inliers) - wrong, 148);
  EXPECT_LE(wrong, 8);
}

TEST(TwoView, KindsAsColmapNamesThem) {
  const TwoPictures deep = look_at(World::kDeep);
  const TwoView loose = view_of(deep, false), tight = view_of(deep, true);
  EXPECT_EQ(loose.kind, TwoViewKind::kUncalibrated);
  EXPECT_TRUE(loose.fundamental && !loose.essential);
  EXPECT_EQ(tight.kind, TwoViewKind::kCalibrated);
  EXPECT_TRUE(tight.fundamental && tight.essential);
  expect_true_inliers(loose);
  expect_true_inliers(tight);

  const TwoPictures flat = look_at(World::kPlane);
  for (const bool calibrated : {false, true}) {
    const TwoView plane = view_of(flat, calibrated);
    EXPECT_EQ(plane.kind, TwoViewKind::kPlanarOrPanoramic);
    EXPECT_TRUE(plane.homography);
    expect_true_inliers(plane);
  }
  const TwoView nothing = view_of(look_at(World::kNone), false);
  EXPECT_LT(nothing.inliers.size(), 60u) << "what an 8-point model fits by chance";
}

TEST(TwoView, WrongIntrinsicsAreNotTrusted) {
  const TwoPictures deep = look_at(World::kDeep);
  const CameraIntrinsics wrong = {.fx = 60, .fy = 900, .cx = 1500, .cy = -700, .distortion = {}};
  EXPECT_EQ(estimate_two_view(deep.first, deep.second, &kCamera, &wrong, {}).kind, TwoViewKind::kUncalibrated);
}

TEST(TwoView, FewMatchesExplainNothing) {
  TwoPictures deep = look_at(World::kDeep);
  deep.first.resize(14);
  deep.second.resize(14);
  const TwoView view = view_of(deep, true);
  EXPECT_EQ(view.kind, TwoViewKind::kDegenerate);
  EXPECT_TRUE(view.inliers.empty() && !view.fundamental);
  EXPECT_EQ(static_cast<int>(TwoViewKind::kDegenerate), 1);
  EXPECT_EQ(static_cast<int>(TwoViewKind::kPlanarOrPanoramic), 6);
  testing::expect_error([&] { estimate_two_view(deep.first, deep.second, nullptr, nullptr, {.min_inliers = 3}); },
                        "min_inliers = 3, must be 8 to");
}

TEST(TwoView, ThePoseIsTheTrueOne) {
  const TwoPictures deep = look_at(World::kDeep);
  const auto pose = estimate_pose(deep.first, deep.second, kCamera, kCamera, 1);
  ASSERT_TRUE(pose);
  // x2 = R (x1 - (0.4, 0, 0)): R turns about y, and t = -R (0.4, 0, 0).
  const double c = std::cos(kAngle), s = std::sin(kAngle);
  const std::array<double, 9> rotation = {c, 0, s, 0, 1, 0, -s, 0, c};
  const std::array<double, 3> translation = {-c, 0, s};
  for (size_t i = 0; i < 9; ++i) EXPECT_NEAR(pose->rotation[i], rotation[i], 2e-3);
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(pose->translation[i], translation[i], 2e-2);
  EXPECT_FALSE(estimate_pose(std::span(deep.first).first(4), std::span(deep.second).first(4), kCamera, kCamera, 1));
}

// A lens that bends: places as it shows them, and none of them off by more than half a pixel once that is known.
TEST(TwoView, DistortionIsTakenOut) {
  TwoPictures bent = look_at(World::kDeep);
  CameraIntrinsics lens = kCamera;
  lens.distortion[0] = -0.2;
  for (auto* places : {&bent.first, &bent.second}) {
    for (Point2& p : *places) {
      const double x = (p.x - lens.cx) / lens.fx, y = (p.y - lens.cy) / lens.fy, r = 1 - 0.2 * (x * x + y * y);
      p = {lens.cx + lens.fx * x * r, lens.cy + lens.fy * y * r};
    }
  }
  const auto known = estimate_pose(bent.first, bent.second, lens, lens, 0.5);
  const auto ignored = estimate_pose(bent.first, bent.second, kCamera, kCamera, 0.5);
  ASSERT_TRUE(known && ignored);
  const auto count = [](const RelativePose& pose) {
    return std::count(pose.inliers.begin(), pose.inliers.end(), true);
  };
  EXPECT_GE(count(*known), 140);
  EXPECT_LT(count(*ignored), 130);
}

}  // namespace
}  // namespace adasample
