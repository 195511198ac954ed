// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/sequences/plane_matching.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace adasample {
namespace {

constexpr size_t kFewestMatches = 4;  // that fix a homography

// Where the map puts p; none on the far side of the horizon, seen from the picture's centre.
std::optional<Point2> project(const Homography& map, Point2 p, Point2 centre) {
  if (!(map.depth(p) * map.depth(centre) > 0)) return std::nullopt;
  return map(p);
}

Point2 centre_of(const ViewedKeypoints& picture) { return {(picture.width - 1) / 2.0, (picture.height - 1) / 2.0}; }

bool shows(const ViewedKeypoints& picture, Point2 p) {
  return p.x >= 0 && p.y >= 0 && p.x <= picture.width - 1 && p.y <= picture.height - 1;
}

int64_t count_shown(const ViewedKeypoints& from, const ViewedKeypoints& to, const Homography& to_from_from) {
  return std::count_if(from.places.begin(), from.places.end(), [&](Point2 p) {
    const auto seen = project(to_from_from, p, centre_of(from));
    return seen && shows(to, *seen);
  });
}

double share(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// None when a corner of the picture goes beyond the estimate's horizon.
std::optional<double> corner_error(const ViewedKeypoints& ref, const Homography& truth, const Homography& estimate) {
  double sum = 0;
  for (const double x : {0.0, ref.width - 1.0}) {
    for (const double y : {0.0, ref.height - 1.0}) {
      const auto expected = project(truth, {x, y}, centre_of(ref)), found = project(estimate, {x, y}, centre_of(ref));
      if (!expected || !found) return std::nullopt;
      sum += std::hypot(expected->x - found->x, expected->y - found->y) / 4;
    }
  }
  return sum;
}

}  // namespace

PlaneScore score_matches(const ViewedKeypoints& ref, const ViewedKeypoints& target, std::span<const Match> matches,
                         const Homography& target_from_ref, const HomographyEstimator& estimate) {
  PlaneScore score;
  score.matches = std::ssize(matches);
  score.shown_ref = count_shown(ref, target, target_from_ref);
  score.shown_target = count_shown(target, ref, target_from_ref.inverse());

  std::vector<Point2> from, to;
  std::array<int64_t, kMostPixels> right{};
  for (const Match& match : matches) {
    from.push_back(ref.places[static_cast<size_t>(match.first)]);
    to.push_back(target.places[static_cast<size_t>(match.second)]);
    const auto truth = project(target_from_ref, from.back(), centre_of(ref));
    const double error =
        truth ? std::hypot(truth->x - to.back().x, truth->y - to.back().y) : std::numeric_limits<double>::infinity();
    for (size_t t = 0; t < right.size(); ++t) right[t] += error <= static_cast<double>(t + 1) ? 1 : 0;
  }
  for (size_t t = 0; t < right.size(); ++t) score.accuracy[t] = share(right[t], score.matches);
  const int64_t found = right[kRightPixels - 1];
  score.matching_score = (share(found, score.shown_ref) + share(found, score.shown_target)) / 2;

  score.estimated = estimate != nullptr;
  if (score.estimated && matches.size() >= kFewestMatches) {
    if (const auto homography = estimate(from, to)) {
      score.corner_error = corner_error(ref, target_from_ref, *homography);
    }
  }
  for (size_t i = 0; i < kCornerPixels.size(); ++i) {
    score.homography[i] = score.corner_error && *score.corner_error <= kCornerPixels[i] ? 1 : 0;
  }
  return score;
}

}  // namespace adasample
