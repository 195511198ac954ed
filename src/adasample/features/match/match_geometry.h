// SPDX-License-Identifier: Apache-2.0
// What two pictures' geometry says of matches, by OpenCV. Its generators have fixed seeds: the same matches, the same
// answer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adasample/image/homography.h"

namespace adasample {

// For evaluation: a homography by plain RANSAC, a match within 3 pixels supports a candidate, 10,000 candidates at
// most, confidence 0.9999. Empty when the program was built without OpenCV.
HomographyEstimator make_homography_estimator();

enum class Geometry { kFundamental, kHomography, kNone };
std::vector<std::string> geometry_names();  // fundamental, homography, none
Geometry geometry_from_name(std::string_view name);
int fewest_matches(Geometry geometry);  // that an estimate takes: 8, 4, 0

struct GeometryOptions {
  Geometry kind = Geometry::kFundamental;
  double threshold = 2;  // pixels; a match farther from the model is no inlier

  void validate() const;
};

struct MatchGeometry {
  // Row-major, of Frobenius norm 1: F with x2' F x1 = 0, or H with x2 ~ H x1; x = (x, y, 1), pixel centres at integers.
  std::array<double, 9> matrix{};
  std::vector<bool> inliers;  // of the matches
};

// For users: MAGSAC++ (USAC in OpenCV), 10,000 candidates at most, confidence 0.9999. An inlier of F lies within the
// threshold by the Sampson distance, one of H by the distance in the second picture. None for fewer matches than it
// takes, for kNone and where nothing was found. Throws Error when the program was built without OpenCV.
std::optional<MatchGeometry> estimate_geometry(std::span<const Point2> first, std::span<const Point2> second,
                                               const GeometryOptions& options);

// Squared distances to the model in the sense above; infinite where a homography has no image.
double squared_distance(Geometry kind, const std::array<double, 9>& matrix, Point2 first, Point2 second);

}  // namespace adasample
