// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/describe/keypoint_detector.h"

#include <algorithm>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>

#include "adasample/base/error.h"
#include "adasample/features/opencv/opencv_keypoint.h"
#include "adasample/features/region.h"
#include "adasample/features/regions/region_overlap.h"

namespace adasample {
namespace {

constexpr int kLayers = 3;
constexpr double kEdge = 10, kSmoothing = 1.6;  // OpenCV's defaults
constexpr int kSmallestPicture = 16;            // pixels; nothing can be found in less

// OpenCV's order depends on how its threads ran; ours must not.
bool stronger(const Keypoint& a, const Keypoint& b) {
  return std::tie(b.strength, a.y, a.x, a.sigma, a.angle) < std::tie(a.strength, b.y, b.x, b.sigma, b.angle);
}

}  // namespace

std::vector<Keypoint> detect_keypoints(const GrayImage& image, const KeypointOptions& options) {
  options.validate();
  if (std::min(image.width, image.height) < kSmallestPicture) return {};
  std::vector<uint8_t> bytes = to_bytes(image);
  const cv::Mat picture(image.height, image.width, CV_8U, bytes.data());
  std::vector<cv::KeyPoint> found;
  cv::SIFT::create(0, kLayers, options.min_contrast, kEdge, kSmoothing)->detect(picture, found);

  std::vector<Keypoint> keypoints;
  for (const cv::KeyPoint& k : found) {
    if (0.5 * k.size >= options.min_sigma) keypoints.push_back(from_opencv(k, kSiftShift));
  }
  std::sort(keypoints.begin(), keypoints.end(), stronger);
  std::vector<Keypoint> kept;
  for (const size_t i :
       suppress_overlaps(keypoints, strongest_first(keypoints), options.region_factor, options.max_overlap)) {
    if (kept.size() == static_cast<size_t>(options.max_count)) break;
    kept.push_back(keypoints[i]);
  }
  return kept;
}

}  // namespace adasample
