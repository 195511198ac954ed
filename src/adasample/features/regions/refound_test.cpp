// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/regions/refound.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace adasample {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

// Twice as large, turned by 30 degrees.
const Homography kTurned(Affine2::translation(50, 20) * Affine2::rotation(30 * kDegree) * Affine2::scaling(2, 2));

// Where kTurned puts the keypoint, and how.
Keypoint turned(const Keypoint& k) {
  const Point2 place = kTurned({k.x, k.y});
  return {.x = place.x, .y = place.y, .sigma = 2 * k.sigma, .angle = k.angle + 30 * kDegree};
}

TEST(FindAgain, AKeypointFoundExactly) {
  const std::vector<Keypoint> ref = {{.x = 100, .y = 80, .sigma = 3, .angle = 1}, {.x = 300, .y = 80, .sigma = 3}};
  const std::vector<Keypoint> target = {turned(ref[1]), turned(ref[0])};
  const auto pairs = find_again(ref, target, kTurned, 6, 0.5);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].ref, 0u);
  EXPECT_EQ(pairs[0].target, 1u);
  EXPECT_EQ(pairs[1].target, 0u);
  EXPECT_NEAR(pairs[0].overlap, 1, 1e-3);
  EXPECT_NEAR(pairs[0].turn, 0, 1e-9);
  EXPECT_NEAR(pairs[0].shift, 0, 1e-9);
  EXPECT_NEAR(pairs[0].scale, 0, 1e-9);
}

TEST(FindAgain, HowFarOff) {
  const std::vector<Keypoint> ref = {{.x = 100, .y = 80, .sigma = 3, .angle = 3}};
  Keypoint off = turned(ref[0]);
  off.angle += 40 * kDegree;  // across half a turn
  off.sigma *= 1.1;
  off.x += 6;
  const auto pairs = find_again(ref, std::vector{off}, kTurned, 6, 0.5);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_NEAR(pairs[0].turn, 40, 1e-9);
  EXPECT_NEAR(pairs[0].scale, std::log2(1.1), 1e-9);
  EXPECT_NEAR(pairs[0].shift, 3.0 / 18, 1e-9);
  EXPECT_GT(pairs[0].overlap, 0.6);
  EXPECT_LT(pairs[0].overlap, 0.8);
  EXPECT_TRUE(find_again(ref, std::vector{off}, kTurned, 6, 0.8).empty());
}

TEST(FindAgain, EachIsTheOthersBest) {
  const Keypoint k = {.x = 100, .y = 80, .sigma = 3}, beside = {.x = 102, .y = 80, .sigma = 3};
  // The target's keypoint belongs to `k`; `beside` overlaps it, but gets nothing.
  const auto one = find_again(std::vector{beside, k}, std::vector{turned(k)}, kTurned, 6, 0.5);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].ref, 1u);
  // Of two at the same place that of the right orientation.
  Keypoint other_way = turned(k);
  other_way.angle += 2;
  const auto two = find_again(std::vector{k}, std::vector{other_way, turned(k)}, kTurned, 6, 0.5);
  ASSERT_EQ(two.size(), 1u);
  EXPECT_EQ(two[0].target, 1u);
  EXPECT_TRUE(find_again({}, two.empty() ? std::vector<Keypoint>{} : std::vector{k}, kTurned, 6, 0.5).empty());
}

// The target's horizon runs at x = 100: what lies beyond it shows nothing of the reference.
TEST(FindAgain, NothingBeyondTheHorizon) {
  const Homography ref_from_target({1, 0, 0, 0, 1, 0, -0.01, 0, 1});
  const std::vector<Keypoint> target = {{.x = 50, .y = 10, .sigma = 1}, {.x = 150, .y = 10, .sigma = 1}};
  const std::vector<Keypoint> ref = {{.x = 100, .y = 20, .sigma = 2.8}, {.x = -300, .y = -20, .sigma = 2.8}};
  const auto pairs = find_again(ref, target, ref_from_target.inverse(), 6, 0.3);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].ref, 0u);
  EXPECT_EQ(pairs[0].target, 0u);
}

}  // namespace
}  // namespace adasample
