// SPDX-License-Identifier: Apache-2.0
// Between OpenCV's types and ours.
#pragma once

#include <opencv2/core.hpp>

#include "adasample/data/image.h"
#include "adasample/data/keypoint.h"

namespace adasample {

// One channel of 8 or 16 bits; 65535 becomes 255.
GrayImage to_gray_image(const cv::Mat& grey);

// `shift`: how far right and down of what it shows the detector puts a keypoint. The angle -1, OpenCV's "none", is 0.
Keypoint from_opencv(const cv::KeyPoint& keypoint, double shift);

}  // namespace adasample
