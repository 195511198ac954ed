// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/detect/orientation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "adasample/features/detect/detector.h"
#include "tests/support/test_images.h"

namespace adasample {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kDegree = kPi / 180;

double turn_between(double a, double b) { return std::abs(std::remainder(a - b, 2 * kPi)); }

TEST(Orientation, PointsWhereBrightnessGrows) {
  for (int degrees = -180; degrees < 180; degrees += 7) {
    const double angle = degrees * kDegree;
    GrayImage ramp(80, 80);
    for (int y = 0; y < 80; ++y) {
      for (int x = 0; x < 80; ++x) ramp.at(x, y) = static_cast<float>(x * std::cos(angle) + y * std::sin(angle));
    }
    const ScalePyramid pyramid(ramp);
    for (const double sigma : {1.5, 2.7, 5.0}) {
      const double found = dominant_orientation(pyramid, {.x = 40.3, .y = 38.8, .sigma = sigma});
      // All gradients fall into one bin of ten degrees, so the parabola finds its middle.
      EXPECT_LT(turn_between(found, angle), 5.1 * kDegree) << degrees << " " << sigma;
      EXPECT_LE(std::abs(found), kPi);
    }
  }
}

TEST(Orientation, TurnsWithTheImage) {
  const ScalePyramid upright(testing::blob_scene());
  const std::vector<Keypoint> keypoints = detect(*make_detector("hessian"), upright);
  int looked_at = 0;
  for (const double angle : {0.5, 2.0, -1.1}) {
    const Affine2 turned_from_upright =
        Affine2::translation(200, 200) * Affine2::rotation(angle) * Affine2::translation(-120, -80);
    const ScalePyramid turned(testing::blob_scene(turned_from_upright.inverse(), 400, 400));
    int agree = 0, all = 0;
    for (Keypoint k : keypoints) {
      if (k.x < 40 || k.y < 40 || k.x > 200 || k.y > 120) continue;  // the border of the upright image is no gradient
      const double before = dominant_orientation(upright, k);
      const Point2 p = turned_from_upright({k.x, k.y});
      k.x = p.x;
      k.y = p.y;
      ++all;
      agree += turn_between(dominant_orientation(turned, k), before + angle) < 8 * kDegree ? 1 : 0;
    }
    looked_at += all;
    EXPECT_GT(agree, 0.85 * all) << angle;  // the rest have two peaks of nearly one height
  }
  EXPECT_GT(looked_at, 60);
}

TEST(Orientation, FlatAndBorderKeypointsHaveOneToo) {
  const ScalePyramid flat(GrayImage(30, 30, 7.0f));
  EXPECT_EQ(dominant_orientation(flat, {.x = 15, .y = 15, .sigma = 2}), 0);
  EXPECT_EQ(dominant_orientation(flat, {.x = -50, .y = 900, .sigma = 2}), 0);  // no pixel in reach
  EXPECT_EQ(dominant_orientation(ScalePyramid(GrayImage(1, 1, 7.0f)), {.x = 0, .y = 0, .sigma = 100}), 0);
}

}  // namespace
}  // namespace adasample
