// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/sequences/frame_noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "adasample/features/regions/region_overlap.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using testing::expect_error;

TEST(FrameNoise, FactorsAreTheCalibratedOnes) {
  for (const NoiseLevel& level : noise_levels().levels) {
    EXPECT_NEAR(level.factor, calibrated_factor({}, level.median_overlap), 1e-3) << level.name;  // rounding, bisection
  }
}

// Draws that the calibration did not see.
TEST(FrameNoise, MediansAreWhatTheySay) {
  const double expected[] = {0.85, 0.72, 0.60};
  const NoiseLevels noise = noise_levels();
  for (size_t i = 0; i < 3; ++i) {
    const NoiseLevel& level = noise.levels[i];
    EXPECT_EQ(level.median_overlap, expected[i]);
    EXPECT_NEAR(median_noise_overlap(RngKey(77, Draw::kRefound), noise.ranges, level.factor, 20000), expected[i], 0.005)
        << level.name;
  }
}

TEST(FrameNoise, OtherProportionsReachTheSameMedians) {
  const NoiseLevels noise = noise_levels({.rotation = 5, .shift = 0.3, .scale = 0, .anisotropy = 0.1});
  for (const NoiseLevel& level : noise.levels) {
    EXPECT_NEAR(median_noise_overlap(RngKey(77, Draw::kRefound), noise.ranges, level.factor, 20000),
                level.median_overlap, 0.005)
        << level.name;
  }
}

// One part at a time: each is what it says, normal and cut off.
TEST(FrameNoise, EachPartHasItsRange) {
  constexpr int kDraws = 20000, kSize = 64;
  const auto spread = [&](const FrameNoise& ranges, const auto& read) {
    double sum = 0, squares = 0, largest = 0;
    for (int i = 0; i < kDraws; ++i) {
      const double value =
          read(draw_frame_noise(RngKey(3, Draw::kRefound).at(static_cast<uint64_t>(i)), ranges, 2, kSize));
      sum += value;
      squares += value * value;
      largest = std::max(largest, std::abs(value));
    }
    return std::array{sum / kDraws, std::sqrt(squares / kDraws), largest};
  };
  const double cut = 0.8796;  // the deviation of a normal variable cut off at 2
  const auto turned = spread({.rotation = 10, .shift = 0, .scale = 0, .anisotropy = 0},
                             [](const Affine2& m) { return std::atan2(m.c, m.a) * 180 / std::numbers::pi; });
  EXPECT_NEAR(turned[0], 0, 0.5);
  EXPECT_NEAR(turned[1], 20 * cut, 0.3);
  EXPECT_LE(turned[2], 40 + 1e-9);
  EXPECT_GT(turned[2], 39);
  const auto zoomed = spread({.rotation = 0, .shift = 0, .scale = 0.2, .anisotropy = 0},
                             [](const Affine2& m) { return std::log2(m.determinant()) / 2; });
  EXPECT_NEAR(zoomed[0], 0, 0.01);
  EXPECT_NEAR(zoomed[1], 0.4 * cut, 0.006);
  EXPECT_LE(zoomed[2], 0.8 + 1e-9);
  const auto stretched = spread({.rotation = 0, .shift = 0, .scale = 0, .anisotropy = 0.2}, [](const Affine2& m) {
    EXPECT_NEAR(m.determinant(), 1, 1e-9);
    return 2 * std::log2(m.largest_singular_value());
  });
  EXPECT_NEAR(stretched[1], 0.4 * cut, 0.006);
  EXPECT_LE(stretched[2], 0.8 + 1e-9);
  const auto moved = spread({.rotation = 0, .shift = 0.1, .scale = 0, .anisotropy = 0}, [](const Affine2& m) {
    EXPECT_LE(std::hypot(m.tx, m.ty), 0.4 * kSize / 2 + 1e-9);  // in every direction
    return m.tx / (kSize / 2);
  });
  EXPECT_NEAR(moved[0], 0, 0.01);
  EXPECT_NEAR(moved[1], 0.2 * 0.8288, 0.005);  // cut off at a radius of 2: sqrt(1 - 2 e^-2 / (1 - e^-2))
}

TEST(FrameNoise, TheCentreStaysWithoutAShift) {
  const FrameNoise still = {.shift = 0};
  for (uint64_t i = 0; i < 20; ++i) {
    const Point2 centre = draw_frame_noise(RngKey(1, Draw::kRefound).at(i), still, 1, 65)({32, 32});
    EXPECT_NEAR(centre.x, 32, 1e-9);
    EXPECT_NEAR(centre.y, 32, 1e-9);
  }
  const Affine2 none = draw_frame_noise(RngKey(1, Draw::kRefound), {}, 0, 65);
  EXPECT_NEAR(none.a, 1, 1e-12);
  EXPECT_NEAR(none.tx, 0, 1e-12);
}

TEST(FrameNoise, OverlapIsThatOfTheInscribedDisc) {
  EXPECT_NEAR(disc_overlap(Affine2(), 65), 1, 1e-6);
  // A shift by half the patch's width: the disc's radius.
  EXPECT_NEAR(disc_overlap(Affine2::translation(32.5, 0), 65), circle_overlap({0, 0}, 1, {1, 0}, 1), 1e-3);
  const Affine2 doubled = Affine2::translation(32, 32) * Affine2::scaling(2, 2) * Affine2::translation(-32, -32);
  EXPECT_NEAR(disc_overlap(doubled, 65), 0.25, 1e-3);
}

TEST(FrameNoise, MedianIsTheLowerMiddle) {
  EXPECT_EQ(median({5}), 5);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2);
}

TEST(FrameNoise, BadRangesAreNamed) {
  expect_error([] { noise_levels({.rotation = -1}); }, "FrameNoise::rotation = -1, must be 0 to 90");
  expect_error([] { noise_levels({.shift = std::nan("")}); }, "FrameNoise::shift = nan, must be 0 to 1");
  expect_error([] { noise_levels({.scale = 3}); }, "FrameNoise::scale = 3");
  expect_error([] { noise_levels({.anisotropy = 3}); }, "FrameNoise::anisotropy = 3");
  expect_error([] { noise_levels({.rotation = 10, .shift = 0, .scale = 0, .anisotropy = 0}); },
               "a turn alone moves no disc");
  expect_error([] { noise_levels({.rotation = 90, .shift = 0.01, .scale = 0.01, .anisotropy = 0}); },
               "FrameNoise::rotation = 90 leads to turns of");
  expect_error([] { calibrated_factor({}, 0.2); }, "median_overlap = 0.2, must be in (0.3, 1)");
  expect_error([] { calibrated_factor({}, 1.0); }, "median_overlap = 1");
}

}  // namespace
}  // namespace adasample
