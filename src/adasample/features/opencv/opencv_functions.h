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
#include "adasample/features/match/two_view.h"

namespace adasample {

std::unique_ptr<KeypointDetector> make_opencv_keypoint_detector(const FeatureOptions& options);
HomographyEstimator make_opencv_homography_estimator();
std::optional<MatchGeometry> estimate_geometry_by_opencv(std::span<const Point2> first, std::span<const Point2> second,
                                                         const GeometryOptions& options);
std::optional<RelativePose> estimate_pose_by_opencv(std::span<const Point2> first, std::span<const Point2> second,
                                                    const CameraIntrinsics& first_camera,
                                                    const CameraIntrinsics& second_camera, double threshold);
std::vector<Match> match_rows_by_opencv(std::span<const float> a, std::span<const float> b, int dimension,
                                        bool approximate);
int64_t count_sift_features(const GrayImage& picture, int max_keypoints);
std::string draw_matches_by_opencv(const GrayImage& first, const GrayImage& second, const std::vector<MatchBand>& bands,
                                   const DrawingOptions& options);

}  // namespace adasample
