// SPDX-License-Identifier: Apache-2.0
// What stands behind features/opencv_part.h.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adasample/features/detect/keypoint_detector.h"
#include "adasample/features/match/match_drawing.h"
#include "adasample/features/match/match_geometry.h"

namespace adasample {

std::unique_ptr<KeypointDetector> make_opencv_keypoint_detector(const FeatureOptions& options);
HomographyEstimator make_opencv_homography_estimator();
std::optional<MatchGeometry> estimate_geometry_by_opencv(std::span<const Point2> first, std::span<const Point2> second,
                                                         const GeometryOptions& options);
int64_t count_sift_features(const GrayImage& picture, int max_keypoints);
std::string draw_matches_by_opencv(const GrayImage& first, const GrayImage& second, const std::vector<MatchBand>& bands,
                                   const DrawingOptions& options);

}  // namespace adasample
