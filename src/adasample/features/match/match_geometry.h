// SPDX-License-Identifier: Apache-2.0
// What two pictures' geometry says of matches, by OpenCV (features/opencv_part.h). Its generators have fixed seeds: the
// same matches, the same answer.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adasample/features/match_pictures.h"
#include "adasample/image/homography.h"

namespace adasample {

// For evaluation: a homography by plain RANSAC, a match within 3 pixels supports a candidate, 10,000 candidates at
// most, confidence 0.9999. Empty where the program has no OpenCV.
HomographyEstimator make_homography_estimator();

bool can_estimate_geometry();               // whether the program has OpenCV
std::vector<std::string> geometry_names();  // fundamental, homography, none
Geometry geometry_from_name(std::string_view name);
std::string name_of(Geometry geometry);
int fewest_matches(Geometry geometry);  // that an estimate takes: 8, 4, 0

// For users: MAGSAC++ (USAC in OpenCV), confidence 0.9999. An inlier of F lies within the
// threshold by the Sampson distance, one of H by the distance in the second picture. None for fewer matches than it
// takes, for kNone and where nothing was found. Throws Error where the program has no OpenCV and a geometry is asked
// for.
std::optional<MatchGeometry> estimate_geometry(std::span<const Point2> first, std::span<const Point2> second,
                                               const GeometryOptions& options);

// Squared distances to the model in the sense above; infinite where a homography has no image.
double squared_distance(Geometry kind, const std::array<double, 9>& matrix, Point2 first, Point2 second);

}  // namespace adasample
