// SPDX-License-Identifier: Apache-2.0
// Between OpenCV's pictures and ours.
#pragma once

#include <opencv2/core.hpp>

#include "adasample/image/image.h"

namespace adasample {

// One channel of 8 or 16 bits; 65535 becomes 255.
GrayImage to_gray_image(const cv::Mat& grey);

}  // namespace adasample
