// SPDX-License-Identifier: Apache-2.0
// A spot of an image that can be found again: where, how large, which way up.
#pragma once

namespace adasample {

struct Keypoint {
  double x = 0, y = 0;  // image pixels, centres at integers
  double sigma = 0;     // scale, image pixels (half of OpenCV's `size`)
  double angle = 0;     // of the dominant gradient, radians, clockwise as seen from +x
  double strength = 0;  // of the detector's response; only orders keypoints of one detector
};

}  // namespace adasample
