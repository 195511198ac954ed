// SPDX-License-Identifier: Apache-2.0
// The strongest blobs of an image (determinant of Hessian, features/detect/detector.h), no two of them showing the same
// spot: what a training set is cut from where no OpenCV is.
#pragma once

#include <vector>

#include "adasample/features/detect/detector.h"

namespace adasample {

struct BlobOptions {
  int max_count = 1000;  // the strongest are kept
  DetectionLimits limits = {};
  // Two kept blobs never show the same spot: their scales differ by a factor of more than two, or their centres by at
  // least this many sigmas of the larger one. Of two that clash the stronger is kept.
  double min_distance = 5.0;

  void validate() const;
};

// Strongest first.
std::vector<Keypoint> detect_blobs(const ScalePyramid& pyramid, const BlobOptions& options);

}  // namespace adasample
