// SPDX-License-Identifier: Apache-2.0
// Our dominant orientation beside that of OpenCV's SIFT, which adds a keypoint for every further peak.
#include "adasample/features/detect/orientation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>

#include "tests/support/test_images.h"

namespace adasample {
namespace {

TEST(Orientation, AgreesWithOpenCv) {
  GrayImage image = testing::blob_scene(Affine2::scaling(0.5, 0.5), 480, 320);
  std::vector<uint8_t> bytes = to_bytes(image);
  std::vector<cv::KeyPoint> keypoints;
  cv::SIFT::create()->detect(cv::Mat(image.height, image.width, CV_8U, bytes.data()), keypoints);
  const ScalePyramid pyramid(std::move(image));
  int agree = 0, all = 0;
  for (size_t i = 0; i < keypoints.size(); ++i) {
    const cv::KeyPoint& k = keypoints[i];
    const auto same_spot = [&](const cv::KeyPoint& other) { return other.pt == k.pt && other.size == k.size; };
    if (std::count_if(keypoints.begin(), keypoints.end(), same_spot) > 1) continue;  // more than one peak
    const double angle = dominant_orientation(pyramid, {.x = k.pt.x, .y = k.pt.y, .sigma = 0.5 * k.size});
    const double degrees = angle * 180 / std::numbers::pi;
    ++all;
    agree += std::abs(std::remainder(degrees - k.angle, 360)) < 10 ? 1 : 0;
  }
  ASSERT_GE(all, 40);
  EXPECT_GT(agree, 0.9 * all) << agree << " of " << all;  // OpenCV starts from a doubled image; photographs: 94 %
}

}  // namespace
}  // namespace adasample
