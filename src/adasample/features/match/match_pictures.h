// SPDX-License-Identifier: Apache-2.0
// Two pictures matched: descriptors of their keypoints, mutual nearest neighbours, the limits of the caller, geometry.
#pragma once

#include <optional>
#include <vector>

#include "adasample/features/describe/picture_file.h"
#include "adasample/features/match/match_geometry.h"
#include "adasample/features/match/mutual_matches.h"

namespace adasample {

struct DetectedPicture {
  PictureFile file;
  std::vector<Keypoint> keypoints;
};

struct PictureMatches {
  int64_t mutual = 0;                     // nearest neighbours of each other
  std::vector<RatedMatch> kept;           // of those, within the limits
  std::optional<MatchGeometry> geometry;  // of those kept
  double seconds_describing = 0, seconds_matching = 0, seconds_geometry = 0;

  int64_t inliers() const;
};

PictureMatches match_pictures(const DetectedPicture& first, const DetectedPicture& second, Descriptor& descriptor,
                              const MatchLimits& limits, const GeometryOptions& geometry);

}  // namespace adasample
