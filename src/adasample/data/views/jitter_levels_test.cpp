// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/views/jitter_levels.h"

#include <gtest/gtest.h>

#include "adasample/features/regions/region_overlap.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

TEST(JitterLevels, StrengthsAreTheCalibratedOnes) {
  for (const JitterLevel& level : jitter_levels()) {
    EXPECT_NEAR(level.strength, calibrated_strength(level.median_overlap), 6e-4) << level.name;  // rounding, bisection
  }
}

// Draws that the calibration did not see; 4000 of them put the median within 0.005 or so.
TEST(JitterLevels, MediansAreWhatTheySay) {
  const double expected[] = {0.85, 0.72, 0.60};
  ASSERT_EQ(jitter_levels().size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const JitterLevel& level = jitter_levels()[i];
    EXPECT_EQ(level.median_overlap, expected[i]);
    EXPECT_NEAR(median_warp_overlap(RngKey(77, Draw::kView), level.strength, 4000), expected[i], 0.02) << level.name;
  }
}

TEST(JitterLevels, OverlapOfAWarpIsThatOfTheInscribedDisc) {
  EXPECT_NEAR(warp_overlap(Affine2(), 65), 1, 1e-6);
  // A shift by half the patch's width: the disc's radius.
  EXPECT_NEAR(warp_overlap(Affine2::translation(32.5, 0), 65), circle_overlap({0, 0}, 1, {1, 0}, 1), 1e-3);
  const Affine2 doubled = Affine2::translation(32, 32) * Affine2::scaling(2, 2) * Affine2::translation(-32, -32);
  EXPECT_NEAR(warp_overlap(doubled, 65), 0.25, 1e-3);
}

TEST(JitterLevels, MedianIsTheLowerMiddle) {
  EXPECT_EQ(median({5}), 5);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2);
}

TEST(JitterLevels, CalibrationHasItsRange) {
  testing::expect_error([] { calibrated_strength(0.2); }, "median_overlap = 0.2, must be in (0.3, 1)");
  testing::expect_error([] { calibrated_strength(1.0); }, "median_overlap = 1");
  EXPECT_LT(median_warp_overlap(RngKey(0, Draw::kSequences), calibrated_strength(0.301), 20000), 0.302);
}

}  // namespace
}  // namespace adasample
