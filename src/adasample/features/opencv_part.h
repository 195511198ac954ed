// SPDX-License-Identifier: Apache-2.0
// What OpenCV does for features, behind plain functions: use_opencv() sets them, so that a program that needs none of
// it need not load OpenCV. Null until then, and in a build without it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adasample/features/detect/keypoint_detector.h"
#include "adasample/features/match_pictures.h"
#include "adasample/image/homography.h"

namespace adasample {

struct DrawingOptions;
struct MatchBand;
struct CameraIntrinsics;
struct RelativePose;

struct OpencvPart {
  // Called before work that will need OpenCV: a stand-in hands the work over here, not in the middle of it.
  void (*prepare)() = nullptr;
  // features/detect/keypoint_detector.h; for sift, orb, akaze and brisk, options that are valid.
  std::unique_ptr<KeypointDetector> (*make_detector)(const FeatureOptions& options) = nullptr;
  // features/match/match_geometry.h
  HomographyEstimator (*make_homography_estimator)() = nullptr;
  std::optional<MatchGeometry> (*estimate_geometry)(std::span<const Point2> first, std::span<const Point2> second,
                                                    const GeometryOptions& options) = nullptr;
  // features/match/two_view.h
  std::optional<RelativePose> (*estimate_pose)(std::span<const Point2> first, std::span<const Point2> second,
                                               const CameraIntrinsics& first_camera,
                                               const CameraIntrinsics& second_camera, double threshold) = nullptr;
  // Mutual nearest rows by BFMatcher or by FLANN, both with the two nearest in both directions, for `bench match`.
  std::vector<Match> (*match_rows)(std::span<const float> a, std::span<const float> b, int dimension,
                                   bool approximate) = nullptr;
  // features/match/match_drawing.h
  std::string (*draw_matches)(const GrayImage& first, const GrayImage& second, const std::vector<MatchBand>& bands,
                              const DrawingOptions& options) = nullptr;
  // Keypoints that SIFT finds and describes in a picture, for `bench pictures`; max_keypoints 0: all.
  int64_t (*count_sift_features)(const GrayImage& picture, int max_keypoints) = nullptr;
};

const OpencvPart& opencv_part();
void prepare_opencv();
// The same where one of these pictures below `folder` is in a format that OpenCV reads.
void prepare_opencv_for(const std::filesystem::path& folder, const std::vector<std::string>& pictures);
// OpenCV's loops run on the process's threads from now on (base/thread_pool.h): for programs, not for libraries. To be
// called once, before OpenCV is used.
void share_threads_with_opencv();
void set_opencv_part(const OpencvPart& part);  // before threads look at it

}  // namespace adasample
