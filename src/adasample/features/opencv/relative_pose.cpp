// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <opencv2/calib3d.hpp>

#include "adasample/features/opencv/opencv_functions.h"

namespace adasample {
namespace {

constexpr double kConfidence = 0.9999;
constexpr int kCandidates = 10000, kSeed = 0;

cv::Mat matrix_of(const CameraIntrinsics& camera) {
  return (cv::Mat_<double>(3, 3) << camera.fx, 0, camera.cx, 0, camera.fy, camera.cy, 0, 0, 1);
}

// Directions through the lens: (x, y, 1).
std::vector<cv::Point2d> directions(std::span<const Point2> places, const CameraIntrinsics& camera) {
  std::vector<cv::Point2d> points, straight;
  for (const Point2& p : places) points.emplace_back(p.x, p.y);
  cv::undistortPoints(points, straight, matrix_of(camera),
                      cv::Mat(1, 8, CV_64F, const_cast<double*>(camera.distortion.data())));
  return straight;
}

}  // namespace

std::optional<RelativePose> estimate_pose_by_opencv(std::span<const Point2> first, std::span<const Point2> second,
                                                    const CameraIntrinsics& first_camera,
                                                    const CameraIntrinsics& second_camera, double threshold) {
  const auto a = directions(first, first_camera), b = directions(second, second_camera);
  const double focal = (first_camera.fx + first_camera.fy + second_camera.fx + second_camera.fy) / 4;
  const double limit = threshold / focal;
  cv::UsacParams usac;
  usac.confidence = kConfidence;
  usac.maxIterations = kCandidates;
  usac.randomGeneratorState = kSeed;
  usac.score = cv::SCORE_METHOD_MAGSAC;
  usac.loMethod = cv::LOCAL_OPTIM_SIGMA;
  usac.sampler = cv::SAMPLING_UNIFORM;
  usac.threshold = limit;
  const cv::Mat identity = cv::Mat::eye(3, 3, CV_64F);
  cv::Mat mask;
  const cv::Mat found = cv::findEssentialMat(a, b, identity, identity, cv::noArray(), cv::noArray(), mask, usac);
  if (found.rows != 3 || found.cols != 3 || !cv::checkRange(found)) return std::nullopt;
  RelativePose pose;
  std::copy_n(found.ptr<double>(), 9, pose.essential.begin());
  std::vector<cv::Point2d> inliers_a, inliers_b;
  for (size_t i = 0; i < a.size(); ++i) {
    const double distance =
        squared_distance(Geometry::kFundamental, pose.essential, {a[i].x, a[i].y}, {b[i].x, b[i].y});
    const bool inlier = distance <= limit * limit;
    pose.inliers.push_back(inlier);
    if (!inlier) continue;
    inliers_a.push_back(a[i]);
    inliers_b.push_back(b[i]);
  }
  if (inliers_a.size() < 5) return std::nullopt;
  cv::Mat rotation, translation;
  cv::recoverPose(found, inliers_a, inliers_b, identity, rotation, translation);
  std::copy_n(rotation.ptr<double>(), 9, pose.rotation.begin());
  std::copy_n(translation.ptr<double>(), 3, pose.translation.begin());
  return pose;
}

}  // namespace adasample
