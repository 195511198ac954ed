// SPDX-License-Identifier: Apache-2.0
// Matches between two pictures of a plane, judged by the true homography. A match of keypoints x and y has the error
// |target_from_ref(x) - y|, in pixels of the target.
//   mean matching accuracy   the share of the matches with an error of t pixels or less, t = 1 .. 10; 0 without matches
//   matching score           right matches (3 pixels or less) over the keypoints that both pictures show: the mean of
//                            the two shares, of the reference's keypoints and of the target's; 0 where there are none
//   corner error             the mean distance of the reference's four corners, mapped by an estimated homography, from
//                            where the true one puts them
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "adasample/features/match/mutual_matches.h"
#include "adasample/image/homography.h"

namespace adasample {

inline constexpr int kMostPixels = 10;                          // of the accuracies
inline constexpr int kRightPixels = 3;                          // of the matching score
inline constexpr std::array<int, 3> kCornerPixels = {1, 3, 5};  // of the homography's accuracy

struct ViewedKeypoints {
  std::vector<Point2> places;
  int width = 0, height = 0;  // of the picture
};

struct PlaneScore {
  int64_t matches = 0, shown_ref = 0, shown_target = 0;  // shown: keypoints that the other picture shows too
  std::array<double, kMostPixels> accuracy{};            // [t - 1]
  double matching_score = 0;
  bool estimated = false;                                 // whether there was an estimator
  std::optional<double> corner_error;                     // none when nothing was found
  std::array<double, kCornerPixels.size()> homography{};  // 1 when the corner error is within, else 0
};

PlaneScore score_matches(const ViewedKeypoints& ref, const ViewedKeypoints& target, std::span<const Match> matches,
                         const Homography& target_from_ref, const HomographyEstimator& estimate);

}  // namespace adasample
