// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/views/exposure.h"

#include <gtest/gtest.h>

#include <cmath>

namespace adasample {
namespace {

TEST(Discs, AnEdgePassesBesideTheCentre) {
  for (const bool hollow : {false, true}) {
    const Disc disc = disc_beside({10, 20}, 0, 3, 50, hollow);
    EXPECT_NEAR(disc.depth({10, 20}), -3, 1e-12) << "the centre is not covered";
    EXPECT_NEAR(disc.depth({13, 20}), 0, 1e-12);
    EXPECT_NEAR(disc.depth({14, 20}), 1, 1e-12) << "it reaches away from it";
  }
  EXPECT_EQ(coverage(-1, 2), 0);
  EXPECT_EQ(coverage(0, 2), 0.5);
  EXPECT_EQ(coverage(1, 2), 1);
}

TEST(Discs, DrawnEdgesCrossTheSquareAndDoNotCloseAroundIt) {
  RngStream rng(RngKey(3, Draw::kView));
  for (int i = 0; i < 1000; ++i) {
    const Disc edge = draw_edge(rng, {16, 16}, 8, 32);
    EXPECT_NEAR(edge.depth({16, 16}), -8, 1e-9);
    int uncovered = 0;  // of the corners
    for (const Point2 p : {Point2{0, 0}, {32, 0}, {0, 32}, {32, 32}}) uncovered += edge.depth(p) < 0;
    EXPECT_GE(uncovered, 1) << "no peephole";
  }
}

TEST(Exposure, AShadowTakesLightNotGreyLevels) {
  Exposure exposure;
  exposure.shadows = {{.where = {.x = 20, .y = 0, .radius = 10}, .light = 0.25, .penumbra = 2}};
  const std::vector<float> light(20, 200);
  std::vector<uint8_t> out(20);
  develop(exposure, light, 20, 1, out.data());
  EXPECT_EQ(out[0], 200);
  EXPECT_EQ(out[8], 200);
  EXPECT_EQ(out[12], 100) << "a quarter of the light is half the grey level";
  EXPECT_EQ(out[10], 158) << "the middle of the edge: 200 sqrt(0.625)";
  exposure.gamma = 2;
  develop(exposure, light, 20, 1, out.data());
  EXPECT_EQ(out[12], 39) << "the tone curve comes after: 100^2 / 255";
}

TEST(Exposure, ShadowsAndMotionComeInEverySecondView) {
  int shadows = 0, motions = 0;
  const RngKey key(5, Draw::kView);
  for (uint64_t i = 0; i < 1000; ++i) {
    const auto shadow = draw_shadow(RngStream(key.at(i)), 1, {16, 16}, 32);
    if (!shadow.empty()) {
      ++shadows;
      EXPECT_GE(shadow[0].light, 0.25);
      EXPECT_LE(shadow[0].light, 1);
    }
    const Point2 motion = draw_motion(RngStream(key.at(i)), 0.5, 6);
    EXPECT_LE(std::hypot(motion.x, motion.y), 3);
    motions += motion.x != 0;
  }
  EXPECT_NEAR(shadows, 500, 80);  // five standard deviations
  EXPECT_NEAR(motions, 500, 80);
  EXPECT_TRUE(draw_shadow(RngStream(key), 0, {16, 16}, 32).empty());
  EXPECT_EQ(draw_motion(RngStream(key.at(1)), 0, 6).x, 0);
}

TEST(MotionBlur, SpreadsLightAlongTheLine) {
  GrayImage image(15, 9);
  image.at(7, 4) = 240;
  EXPECT_EQ(motion_blur(image, {}).pixels, image.pixels);
  const GrayImage moved = motion_blur(image, {4, 0});
  double light = 0;
  for (int y = 0; y < 9; ++y) {
    for (int x = 0; x < 15; ++x) {
      light += moved.at(x, y) * moved.at(x, y);
      if (y != 4 || std::abs(x - 7) > 2) {
        EXPECT_EQ(moved.at(x, y), 0) << x << " " << y;
      }
    }
  }
  EXPECT_NEAR(light, 240 * 240, 1) << "no light is lost";
  EXPECT_NEAR(moved.at(6, 4), moved.at(8, 4), 1e-3) << "both ways alike";
  EXPECT_NEAR(moved.at(7, 4), 240 / std::sqrt(4), 15) << "a point becomes a line of four pixels";
  const GrayImage flat = motion_blur(GrayImage(6, 5, 90), {3, -2});
  for (const float pixel : flat.pixels) EXPECT_NEAR(pixel, 90, 1e-3);
}

}  // namespace
}  // namespace adasample
