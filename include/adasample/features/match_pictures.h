// SPDX-License-Identifier: Apache-2.0
// Two described pictures matched: mutual nearest neighbours, the limits of the caller, geometry.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "adasample/features/describe_picture.h"

namespace adasample {

struct Match {
  int64_t first = 0, second = 0;  // keypoints of the two pictures

  bool operator==(const Match&) const = default;
};

// A match and how far it can be trusted.
struct RatedMatch {
  Match match;
  double distance = 0;  // Euclidean
  // Lowe's, in both directions: the distance over that of the next best partner of either side, the nearer one; in
  // [0, 1]. 1 for a tie, 0 where nobody has a second choice.
  double ratio = 0;
};

// Which matches to keep; the defaults keep all.
struct MatchLimits {
  double ratio = 1;                                               // at most, (0, 1]
  double max_distance = std::numeric_limits<double>::infinity();  // > 0

  void validate() const;
  bool keep(const RatedMatch& match) const { return match.ratio <= ratio && match.distance <= max_distance; }
};

enum class Geometry {
  kFundamental,  // any two views of a rigid scene
  kHomography,   // a plane, or the camera only turns
  kNone,
};

struct GeometryOptions {
  Geometry kind = Geometry::kFundamental;
  double threshold = 2;    // pixels; a match farther from the model is no inlier
  int candidates = 10000;  // that are tried, at most

  void validate() const;
};

struct MatchGeometry {
  // Row-major, of Frobenius norm 1: F with x2' F x1 = 0, or H with x2 ~ H x1; x = (x, y, 1), pixel centres at integers.
  std::array<double, 9> matrix{};
  std::vector<bool> inliers;  // of the matches
};

struct PictureMatches {
  int64_t mutual = 0;                     // nearest neighbours of each other
  std::vector<RatedMatch> kept;           // of those, within the limits
  std::optional<MatchGeometry> geometry;  // of those kept; none for kNone, and where nothing was found
  double seconds_matching = 0, seconds_geometry = 0;

  int64_t inliers() const;
};

// The geometry is OpenCV's MAGSAC++ (features/use_opencv.h); throws Error where the program has no OpenCV and one is
// asked for.
PictureMatches match_pictures(const DescribedPicture& first, const DescribedPicture& second,
                              const MatchLimits& limits = {}, const GeometryOptions& geometry = {});

}  // namespace adasample
