// SPDX-License-Identifier: Apache-2.0
// Finds the keypoints of a picture. Whoever wants keypoints asks here: stores made of photographs, `describe`, `match`,
// `colmap`, `eval sequences` and Descriptor2D.
#pragma once

#include <memory>
#include <vector>

#include "adasample/features/feature_options.h"
#include "adasample/features/keypoint.h"
#include "adasample/image/scale_pyramid.h"

namespace adasample {

class KeypointDetector {
 public:
  virtual ~KeypointDetector() = default;
  // Strongest first; what `FeatureOptions` ask for. Several threads may share a detector.
  virtual std::vector<Keypoint> detect(const ScalePyramid& picture) const = 0;
};

// Throws a usage Error for a name that is not known, and Error for one of OpenCV's where the program has no OpenCV.
std::unique_ptr<KeypointDetector> make_keypoint_detector(const FeatureOptions& options);

}  // namespace adasample
