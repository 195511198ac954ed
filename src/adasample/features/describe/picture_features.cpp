// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/describe/picture_features.h"

#include <numeric>

#include "adasample/base/error.h"
#include "adasample/features/describe/patch_source.h"
#include "adasample/features/detect/detector.h"
#include "adasample/features/detect/orientation.h"
#include "adasample/features/regions/patch_cutter.h"
#include "adasample/features/regions/region_overlap.h"

namespace adasample {
namespace {

constexpr int kSmallestPatch = 8, kLargestPatch = 128;  // pixels

}  // namespace

void FeatureOptions::validate() const {
  make_detector(detector);
  ADA_USAGE(max_keypoints >= 4 && max_keypoints <= 1'000'000,
            "FeatureOptions::max_keypoints = {}, must be 4 to 1,000,000", max_keypoints);
  ADA_USAGE(region_factor >= 1 && region_factor <= 100, "FeatureOptions::region_factor = {}, must be 1 to 100",
            region_factor);
  ADA_USAGE(size >= kSmallestPatch && size <= kLargestPatch, "FeatureOptions::size = {}, must be {} to {}", size,
            kSmallestPatch, kLargestPatch);
}

std::vector<Keypoint> find_keypoints(const ScalePyramid& picture, const FeatureOptions& options) {
  const std::vector<Keypoint> all = detect(*make_detector(options.detector), picture);
  std::vector<Keypoint> kept;
  for (const size_t i : strongest_first(all)) {
    if (kept.size() == static_cast<size_t>(options.max_keypoints)) break;
    kept.push_back(all[i]);
    if (!options.upright) kept.back().angle = dominant_orientation(picture, all[i]);
  }
  return kept;
}

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
