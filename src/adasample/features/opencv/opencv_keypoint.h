// SPDX-License-Identifier: Apache-2.0
// Between OpenCV's keypoints and ours.
#pragma once

#include <numbers>
#include <opencv2/core.hpp>

#include "adasample/features/keypoint.h"

namespace adasample {

// `shift`: how far right and down of what it shows the detector puts a keypoint. The angle -1, OpenCV's "none", is 0.
inline Keypoint from_opencv(const cv::KeyPoint& keypoint, double shift) {
  return {.x = keypoint.pt.x - shift,
          .y = keypoint.pt.y - shift,
          .sigma = 0.5 * keypoint.size,
          .angle = keypoint.angle == -1 ? 0 : keypoint.angle * std::numbers::pi / 180,
          .strength = keypoint.response};
}

}  // namespace adasample
