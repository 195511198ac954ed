// SPDX-License-Identifier: Apache-2.0
// Keypoints of one picture, and what a descriptor makes of the patch around each.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "adasample/base/conventions.h"
#include "adasample/base/progress.h"
#include "adasample/features/keypoint.h"
#include "adasample/image/scale_pyramid.h"
#include "adasample/model/descriptor.h"

namespace adasample {

struct FeatureOptions {
  std::string detector = "dog";        // features/detect/detector.h
  int max_keypoints = 2000;            // a picture; the strongest
  bool upright = false;                // angle 0 instead of the dominant orientation
  double region_factor = kSiftRegion;  // half width of the region cut, in sigmas; beyond the border it is mirrored
  int size = kPatchSize;               // of the patches to describe, pixels

  void validate() const;
};

// Strongest first.
std::vector<Keypoint> find_keypoints(const ScalePyramid& picture, const FeatureOptions& options);

// Descriptors of the regions around `keypoints`, float [keypoints.size(), dimension], cut as `options` say. `progress`
// counts patches, `seconds` grows by the time spent in describe().
std::vector<float> describe_keypoints(const ScalePyramid& picture, std::span<const Keypoint> keypoints,
                                      Descriptor& descriptor, const FeatureOptions& options, Progress& progress,
                                      double& seconds);

}  // namespace adasample
