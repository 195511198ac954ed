// SPDX-License-Identifier: Apache-2.0
// What a descriptor makes of the patch around each keypoint of a picture.
#pragma once

#include <span>
#include <vector>

#include "adasample/base/progress.h"
#include "adasample/features/feature_options.h"
#include "adasample/features/keypoint.h"
#include "adasample/image/scale_pyramid.h"
#include "adasample/model/descriptor.h"

namespace adasample {

// The patches around `keypoints`, uint8 [keypoints.size(), size, size], cut as `options` say.
std::vector<uint8_t> cut_keypoints(const ScalePyramid& picture, std::span<const Keypoint> keypoints,
                                   const FeatureOptions& options);

// Descriptors of the regions around `keypoints`, float [keypoints.size(), dimension], cut as `options` say. `progress`
// counts patches, `seconds` grows by the time spent in describe().
std::vector<float> describe_keypoints(const ScalePyramid& picture, std::span<const Keypoint> keypoints,
                                      Descriptor& descriptor, const FeatureOptions& options, Progress& progress,
                                      double& seconds);

}  // namespace adasample
