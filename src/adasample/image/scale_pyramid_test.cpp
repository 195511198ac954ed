// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/scale_pyramid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace adasample {
namespace {

TEST(ScalePyramid, LevelsFollowTheLadder) {
  const ScalePyramid pyramid(GrayImage(100, 60, 7.0f));
  EXPECT_EQ(pyramid.width(), 100);
  EXPECT_EQ(pyramid.octave_count(), 3);  // 60, 30, 15: the next would be below eight
  for (int octave = 0; octave < 3; ++octave) {
    for (int step = 0; step <= 4; ++step) {
      const ScalePyramid::Level& level = pyramid.level(octave, step);
      const double reduction = std::exp2(octave + step / 3.0);
      EXPECT_NEAR(level.blur, 0.8 * std::sqrt(reduction * reduction - 1), 1e-9);
      EXPECT_EQ(level.spacing, std::exp2(octave));
      EXPECT_EQ(level.image.height, (60 + (1 << octave) - 1) >> octave);
      EXPECT_NEAR(level.image.at(3, 3), 7.0f, 1e-3);
    }
  }
}

// A cosine of f cycles a pixel under a Gaussian of sigma s keeps exp(-2 pi^2 s^2 f^2) of its amplitude.
TEST(ScalePyramid, BlurIsWhatItSays) {
  const double frequency = 1.0 / 24;
  GrayImage image(192, 192);
  for (int y = 0; y < 192; ++y) {
    for (int x = 0; x < 192; ++x) {
      image.at(x, y) = static_cast<float>(100 * std::cos(2 * std::numbers::pi * frequency * (x - 96)));
    }
  }
  const ScalePyramid pyramid(image);
  for (int octave = 0; octave < 3; ++octave) {
    for (int step = 0; step <= 4; ++step) {
      const ScalePyramid::Level& level = pyramid.level(octave, step);
      const double expected = 100 * std::exp(-2 * std::pow(std::numbers::pi * level.blur * frequency, 2));
      const int middle = 96 >> octave;
      EXPECT_NEAR(level.image.at(middle, middle), expected, 1.5) << octave << " " << step;
    }
  }
}

TEST(ScalePyramid, OnePixelIsEnough) { EXPECT_EQ(ScalePyramid(GrayImage(1, 1, 9.0f)).octave_count(), 1); }

}  // namespace
}  // namespace adasample
