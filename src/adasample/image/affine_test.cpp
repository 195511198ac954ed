// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/affine.h"

#include <gtest/gtest.h>

#include <numbers>

namespace adasample {
namespace {

void expect_point(Point2 found, Point2 expected) {
  EXPECT_NEAR(found.x, expected.x, 1e-12);
  EXPECT_NEAR(found.y, expected.y, 1e-12);
}

TEST(Affine, RotationIsClockwiseAsSeen) {
  // y points down: turning +x by a quarter clockwise gives +y.
  expect_point(Affine2::rotation(std::numbers::pi / 2)({1, 0}), {0, 1});
}

TEST(Affine, ProductAppliesTheRightFactorFirst) {
  expect_point((Affine2::translation(5, 0) * Affine2::scaling(2, 3))({1, 1}), {7, 3});
}

TEST(Affine, InverseUndoes) {
  const Affine2 map = {1.5, -0.3, 7, 0.4, 0.9, -2};
  expect_point(map.inverse()(map({3, -4})), {3, -4});
  expect_point((map * map.inverse())({1, 2}), {1, 2});
}

TEST(Affine, LargestSingularValueIsTheLargestStretch) {
  const Affine2 map = Affine2::rotation(0.7) * Affine2::scaling(3, 0.5) * Affine2::rotation(-1.1);
  EXPECT_NEAR(map.largest_singular_value(), 3.0, 1e-12);
  EXPECT_NEAR(map.determinant(), 1.5, 1e-12);
  EXPECT_NEAR(Affine2().largest_singular_value(), 1.0, 1e-12);
}

}  // namespace
}  // namespace adasample
