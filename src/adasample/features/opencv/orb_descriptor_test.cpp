// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/opencv/orb_descriptor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>

namespace adasample {
namespace {

// A smooth random picture of 97 x 97 pixels, in whose middle an odd patch needs no resizing.
cv::Mat smooth_picture(int seed) {
  cv::Mat picture(97, 97, CV_8U);
  cv::RNG rng(static_cast<uint64_t>(seed) + 1);
  rng.fill(picture, cv::RNG::UNIFORM, 0, 256);
  cv::Mat blurred;
  cv::blur(picture, blurred, {7, 7});
  cv::normalize(blurred, blurred, 0, 255, cv::NORM_MINMAX);
  return blurred;
}

std::vector<float> describe_middle(const cv::Mat& picture) {
  const cv::Mat patch = picture(cv::Rect(32, 32, 33, 33)).clone();
  std::vector<float> row(256);
  make_orb_descriptor()->describe({patch.ptr<uint8_t>(), 33 * 33}, 1, 33, row);
  return row;
}

TEST(OrbDescriptor, IsThatOfOpenCvOnTheWholePicture) {
  for (const int seed : {1, 2, 3}) {
    const cv::Mat picture = smooth_picture(seed);
    std::vector<cv::KeyPoint> keypoints = {{48, 48, 31, 0, 1, 0}};
    cv::Mat bits;
    cv::ORB::create()->compute(picture, keypoints, bits);
    ASSERT_EQ(bits.rows, 1);
    const std::vector<float> row = describe_middle(picture);
    int different = 0;
    for (int i = 0; i < 256; ++i) {
      const bool set = (bits.at<uint8_t>(0, i / 8) >> (i % 8) & 1) != 0;
      different += set != (row[static_cast<size_t>(i)] > 0);
    }
    EXPECT_LE(different, 8);  // the blur sees a mirror instead of what lies beyond the patch
    EXPECT_GT(std::count(row.begin(), row.end(), 0.f), 64);
    EXPECT_LT(std::count(row.begin(), row.end(), 0.f), 192);
  }
}

TEST(OrbDescriptor, DistanceIsHamming) {
  const std::vector<float> a = describe_middle(smooth_picture(1)), b = describe_middle(smooth_picture(2));
  double squared = 0;
  int hamming = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    squared += (a[i] - b[i]) * (a[i] - b[i]);
    hamming += (a[i] > 0) != (b[i] > 0);
  }
  EXPECT_GT(hamming, 64);
  EXPECT_FLOAT_EQ(static_cast<float>(squared), static_cast<float>(hamming) / 256);
}

}  // namespace
}  // namespace adasample
