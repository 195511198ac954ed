// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/scenes/leaf_canvas.h"

#include <gtest/gtest.h>

#include <numbers>

namespace adasample {
namespace {

const auto kOne = [](int, int) { return 1.0f; };
const auto kTwo = [](int, int) { return 2.0f; };

double sum(const GrayImage& image) {
  double total = 0;
  for (const float pixel : image.pixels) total += pixel;
  return total;
}

TEST(LeafCanvas, FirstClaimStays) {
  LeafCanvas canvas(10, 1);
  canvas.paint_span(0, 3, 5, kOne);
  canvas.paint_span(0, -4, 99, kTwo);
  EXPECT_EQ(canvas.image().pixels, (std::vector<float>{2, 2, 2, 1, 1, 1, 2, 2, 2, 2}));
  EXPECT_EQ(canvas.free_count(), 0);
  canvas.paint_span(0, 0, 9, kOne);
  EXPECT_EQ(sum(canvas.image()), 17);
}

TEST(LeafCanvas, SpansHoldThePixelCentresBetweenTheirEnds) {
  LeafCanvas canvas(6, 1);
  canvas.paint_span(0, 1.2, 3.9, kOne);
  EXPECT_EQ(canvas.image().pixels, (std::vector<float>{0, 0, 1, 1, 0, 0}));
  canvas.paint_span(0, 4.2, 4.8, kOne);  // between two centres
  EXPECT_EQ(canvas.free_count(), 4);
}

TEST(LeafCanvas, EllipseHasItsAreaAndPlace) {
  LeafCanvas canvas(200, 200);
  canvas.paint_ellipse(Affine2::translation(90, 110) * Affine2::rotation(0.6) * Affine2::scaling(60, 25), kOne);
  EXPECT_NEAR(sum(canvas.image()), std::numbers::pi * 60 * 25, 40);
  const int dx = static_cast<int>(58 * std::cos(0.6)), dy = static_cast<int>(58 * std::sin(0.6));
  EXPECT_EQ(canvas.image().at(90 + dx, 110 + dy), 1);
  EXPECT_EQ(canvas.image().at(90 - dy, 110 + dx), 0);
}

TEST(LeafCanvas, PolygonsAreFilledAndClipped) {
  LeafCanvas canvas(20, 20);
  canvas.paint_polygon({{2.5, 2.5}, {12.5, 2.5}, {12.5, 7.5}, {2.5, 7.5}}, kOne);
  EXPECT_EQ(sum(canvas.image()), 50);
  LeafCanvas clipped(20, 20);
  clipped.paint_polygon({{-50, -50}, {80, -50}, {80, 80}, {-50, 80}}, kOne);
  EXPECT_EQ(clipped.free_count(), 0);
  LeafCanvas outside(20, 20);
  outside.paint_polygon({{30, 30}, {40, 30}, {35, 40}}, kOne);
  EXPECT_EQ(outside.free_count(), 400);
}

}  // namespace
}  // namespace adasample
