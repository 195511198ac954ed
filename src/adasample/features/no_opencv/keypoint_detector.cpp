// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/describe/keypoint_detector.h"
#include "adasample/base/error.h"

namespace adasample {

std::vector<Keypoint> detect_keypoints(const GrayImage&, const KeypointOptions&) {
  ADA_THROW(
      "[keypoints] this program was built without OpenCV and has no SIFT - take --detector dog where there is that "
      "option, "
      "or a list made elsewhere with 'adasample data keypoints'");
}

}  // namespace adasample
