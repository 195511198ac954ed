// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match_pictures.h"

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/base/stopwatch.h"
#include "adasample/features/match/match_geometry.h"
#include "adasample/features/match/mutual_matches.h"

namespace adasample {

int64_t PictureMatches::inliers() const {
  return geometry ? std::count(geometry->inliers.begin(), geometry->inliers.end(), true) : 0;
}

PictureMatches match_pictures(const DescribedPicture& first, const DescribedPicture& second, const MatchLimits& limits,
                              const GeometryOptions& geometry) {
  limits.validate();
  ADA_USAGE(first.dimension == second.dimension, "[match] descriptors of {} and of {} numbers cannot be compared",
            first.dimension, second.dimension);
  PictureMatches result;
  const Stopwatch matching;
  std::vector<Point2> from, to;
  for (const RatedMatch& rated : rated_matches(first.descriptors, second.descriptors, first.dimension)) {
    ++result.mutual;
    if (!limits.keep(rated)) continue;
    const Keypoint& k = first.keypoints[static_cast<size_t>(rated.match.first)];
    const Keypoint& l = second.keypoints[static_cast<size_t>(rated.match.second)];
    result.kept.push_back(rated);
    from.push_back({k.x, k.y});
    to.push_back({l.x, l.y});
  }
  result.seconds_matching = matching.seconds();

  const Stopwatch estimating;
  result.geometry = estimate_geometry(from, to, geometry);
  result.seconds_geometry = estimating.seconds();
  return result;
}

}  // namespace adasample
