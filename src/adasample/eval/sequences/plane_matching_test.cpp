// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/sequences/plane_matching.h"

#include <gtest/gtest.h>

namespace adasample {
namespace {

// The target is the reference moved 100 pixels to the left: of 200 pixels both show 100.
const Homography kShift = Affine2::translation(-100, 0);

TEST(PlaneMatching, CountsErrorsAndSharedKeypoints) {
  // Reference: one keypoint the target does not show, three it does. Target: one shown, one beyond the reference.
  const ViewedKeypoints ref = {{{20, 50}, {110, 50}, {150, 50}, {190, 20}}, 200, 100};
  const ViewedKeypoints target = {{{10, 50}, {52.5, 50}, {150, 50}}, 200, 100};
  const std::vector<Match> matches = {{1, 0}, {2, 1}, {3, 2}};  // errors 0, 2.5 and 67 pixels
  const PlaneScore score = score_matches(ref, target, matches, kShift, nullptr);
  EXPECT_EQ(score.matches, 3);
  EXPECT_EQ(score.shown_ref, 3);
  EXPECT_EQ(score.shown_target, 2);
  EXPECT_DOUBLE_EQ(score.accuracy[0], 1.0 / 3);
  EXPECT_DOUBLE_EQ(score.accuracy[1], 1.0 / 3);
  EXPECT_DOUBLE_EQ(score.accuracy[2], 2.0 / 3);
  EXPECT_DOUBLE_EQ(score.accuracy[9], 2.0 / 3);
  EXPECT_DOUBLE_EQ(score.matching_score, (2.0 / 3 + 2.0 / 2) / 2);
  EXPECT_FALSE(score.estimated);
  EXPECT_FALSE(score.corner_error);
}

TEST(PlaneMatching, ErrorsAtTheThresholdCount) {
  const ViewedKeypoints ref = {{{110, 50}}, 200, 100}, target = {{{13, 50}}, 200, 100};
  const PlaneScore score = score_matches(ref, target, std::vector<Match>{{0, 0}}, kShift, nullptr);
  EXPECT_EQ(score.accuracy[1], 0);
  EXPECT_EQ(score.accuracy[2], 1);
  EXPECT_EQ(score.matching_score, 1);
}

TEST(PlaneMatching, CornersOfTheEstimate) {
  const ViewedKeypoints ref = {{{110, 50}, {120, 50}, {130, 80}, {140, 20}}, 201, 101};
  const ViewedKeypoints target = {{{10, 50}, {20, 50}, {30, 80}, {40, 20}}, 201, 101};
  const std::vector<Match> matches = {{0, 0}, {1, 1}, {2, 2}, {3, 3}};
  const auto with = [&](const Homography& found) {
    return score_matches(ref, target, matches, kShift, [&](auto from, auto to) {
      EXPECT_EQ(from.size(), 4u);
      EXPECT_EQ(to[3].x, 40);
      return std::optional(found);
    });
  };
  const PlaneScore exact = with(kShift), off = with(Affine2::translation(-97, 3.9));
  EXPECT_EQ(exact.corner_error, 0.0);
  EXPECT_EQ(exact.homography, (std::array<double, 3>{1, 1, 1}));
  EXPECT_NEAR(off.corner_error.value(), std::hypot(3, 3.9), 1e-9);
  EXPECT_EQ(off.homography, (std::array<double, 3>{0, 0, 1}));
  // Stretched by 1.02 about the upper left corner: 0, 2, 4 and sqrt(20) pixels.
  EXPECT_NEAR(with(kShift * Homography(Affine2::scaling(1.02, 1.02))).corner_error.value(),
              (0 + 2 + 4 + std::sqrt(20.0)) / 4, 1e-9);

  // Too few matches, or none found: a failure, not an omission.
  const auto refuses = [](auto, auto) -> std::optional<Homography> { return std::nullopt; };
  const PlaneScore none = score_matches(ref, target, matches, kShift, refuses);
  EXPECT_TRUE(none.estimated);
  EXPECT_EQ(none.homography, (std::array<double, 3>{0, 0, 0}));
  const auto never = [](auto, auto) -> std::optional<Homography> {
    ADD_FAILURE() << "three matches fix no homography";
    return std::nullopt;
  };
  EXPECT_TRUE(score_matches(ref, target, std::span(matches).first(3), kShift, never).estimated);
  const PlaneScore nothing = score_matches({{}, 10, 10}, target, {}, kShift, never);
  EXPECT_EQ(nothing.matching_score, 0);
  EXPECT_EQ(nothing.accuracy[9], 0);
}

// depth = 1 - x / 100: the plane's horizon crosses the picture at x = 100; what lies behind it is not shown.
TEST(PlaneMatching, NothingIsSeenBeyondTheHorizon) {
  const Homography horizon({1, 0, 0, 0, 1, 0, -0.01, 0, 1});
  const ViewedKeypoints ref = {{{40, 10}, {160, 10}}, 180, 100}, target = {{{66.6, 16.6}, {-266.6, -16.6}}, 180, 100};
  const PlaneScore score = score_matches(ref, target, std::vector<Match>{{0, 0}, {1, 1}}, horizon, nullptr);
  EXPECT_EQ(score.shown_ref, 1);
  EXPECT_EQ(score.accuracy[0], 0.5);
}

}  // namespace
}  // namespace adasample
