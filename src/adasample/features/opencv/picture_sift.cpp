// SPDX-License-Identifier: Apache-2.0
// SIFT of a whole picture, detected and described by OpenCV as its users call it: what `bench pictures` compares with.
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>

#include "adasample/features/opencv/opencv_functions.h"

namespace adasample {

int64_t count_sift_features(const GrayImage& picture, int max_keypoints) {
  std::vector<uint8_t> bytes = to_bytes(picture);
  const cv::Mat image(picture.height, picture.width, CV_8U, bytes.data());
  std::vector<cv::KeyPoint> keypoints;
  cv::Mat descriptors;
  cv::SIFT::create(max_keypoints)->detectAndCompute(image, cv::noArray(), keypoints, descriptors);
  return descriptors.rows;
}

}  // namespace adasample
