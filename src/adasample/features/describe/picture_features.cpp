// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/describe/picture_features.h"

#include <numeric>

#include "adasample/features/describe/patch_source.h"
#include "adasample/features/regions/patch_cutter.h"

namespace adasample {

std::vector<float> describe_keypoints(const ScalePyramid& picture, std::span<const Keypoint> keypoints,
                                      Descriptor& descriptor, const FeatureOptions& options, Progress& progress,
                                      double& seconds) {
  const PatchSource source = {options.size, [&](int64_t index, std::span<uint8_t> out) {
                                const Keypoint& k = keypoints[static_cast<size_t>(index)];
                                cut(picture, keypoint_frame(k, options.region_factor, options.size), options.size,
                                    out.data());
                              }};
  std::vector<int64_t> all(keypoints.size());
  std::iota(all.begin(), all.end(), 0);
  return describe_patches(source, descriptor, all, progress, seconds);
}

}  // namespace adasample
