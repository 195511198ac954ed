// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match/match_pictures.h"

#include <algorithm>

#include "adasample/base/stopwatch.h"

namespace adasample {

int64_t PictureMatches::inliers() const {
  return geometry ? std::count(geometry->inliers.begin(), geometry->inliers.end(), true) : 0;
}

PictureMatches match_pictures(const DetectedPicture& first, const DetectedPicture& second, Descriptor& descriptor,
                              const MatchLimits& limits, const GeometryOptions& geometry) {
  PictureMatches result;
  const Stopwatch describing;
  Progress progress("describing", "patches", std::ssize(first.keypoints) + std::ssize(second.keypoints));
  double in_descriptor = 0;  // without the cutting, which belongs to describing too
  const auto a = first.file.describe(first.keypoints, descriptor, progress, in_descriptor);
  const auto b = second.file.describe(second.keypoints, descriptor, progress, in_descriptor);
  result.seconds_describing = describing.seconds();

  const Stopwatch matching;
  std::vector<Point2> from, to;
  for (const RatedMatch& rated : rated_matches(a, b, descriptor.dimension())) {
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
