// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/describe/picture_features.h"

#include <numeric>

#include "adasample/base/parallel.h"
#include "adasample/features/describe/patch_source.h"
#include "adasample/features/regions/patch_cutter.h"
#include "adasample/model/learned_metric.h"

namespace adasample {
namespace {

void cut_one(const ScalePyramid& picture, const Keypoint& k, const FeatureOptions& options, uint8_t* out) {
  cut(picture, keypoint_frame(k, options.region_factor, options.size), options.size, out);
}

}  // namespace

std::vector<uint8_t> cut_keypoints(const ScalePyramid& picture, std::span<const Keypoint> keypoints,
                                   const FeatureOptions& options) {
  const size_t area = static_cast<size_t>(options.size) * static_cast<size_t>(options.size);
  std::vector<uint8_t> patches(keypoints.size() * area);
  parallel_for(std::ssize(keypoints), [&](int64_t i) {
    const auto at = static_cast<size_t>(i);
    cut_one(picture, keypoints[at], options, patches.data() + at * area);
  });
  return patches;
}

std::vector<float> describe_keypoints(const ScalePyramid& picture, std::span<const Keypoint> keypoints,
                                      Descriptor& descriptor, const FeatureOptions& options, Progress& progress,
                                      double& seconds) {
  refuse_learned_metric(descriptor, "describe");
  const PatchSource source = {options.size, [&](int64_t index, std::span<uint8_t> out) {
                                cut_one(picture, keypoints[static_cast<size_t>(index)], options, out.data());
                              }};
  std::vector<int64_t> all(keypoints.size());
  std::iota(all.begin(), all.end(), 0);
  return describe_patches(source, descriptor, all, progress, seconds);
}

}  // namespace adasample
