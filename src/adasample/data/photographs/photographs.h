// SPDX-License-Identifier: Apache-2.0
// Patch stores from plain photographs: keypoints of each, K jittered views of every keypoint, or those views of the
// whole photograph in which a detector found it again. Whole photographs are
// held out, never patches: two stores of one call share no picture.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "adasample/data/views/redetected_views.h"
#include "adasample/data/views/view_class.h"
#include "adasample/features/feature_options.h"
#include "adasample/features/keypoint_list.h"

namespace adasample {

// Keypoints that stores are cut at: such that no two show the same spot, and none would be blown up to fill a patch.
inline FeatureOptions store_keypoints() {
  return {.detector = "sift", .min_contrast = 0.03, .min_sigma = 1.6, .max_overlap = 0.1};
}

struct PhotographOptions {
  FeatureOptions keypoints = store_keypoints();
  // Cut at the keypoints of this list (features/keypoint_list.h) instead of detecting them, an earlier one before any
  // later one of the same spot. A picture may be there as PGM instead.
  std::filesystem::path list = {};
  ViewClassOptions cut = {.jpeg = true};
  RedetectOptions redetect = {};  // not with a list
  int per_image = 200;            // classes a photograph, at most; drawn at random among its keypoints
  int max_side = 3000;            // pixels; a larger picture is halved until it fits, which bounds the memory
  double holdout = 0;             // share of the photographs that go to the second store
  uint64_t seed = 0;

  void validate() const;
};

// A photograph left out, and why: unreadable, a copy of another, nothing to be seen in it.
struct SkippedPhotograph {
  std::string file, why;
};

struct PhotographReport {
  int64_t used = 0, heldout = 0;  // photographs in the two stores
  std::vector<SkippedPhotograph> skipped;
};

// Writes the store `out` and, with a holdout, `heldout_out`; neither may exist. The bytes depend on the photographs and
// the options alone, not on the thread count; the names of the files only order the classes. Throws Error when no
// photograph is usable.
PhotographReport make_photograph_stores(const std::filesystem::path& folder, const PhotographOptions& options,
                                        const std::filesystem::path& out, const std::filesystem::path& heldout_out);

// The keypoints of the photographs below `folder`, in pixels of the files, as a list to cut at elsewhere.
struct FoundKeypoints {
  KeypointList list;
  int64_t count = 0;
  std::vector<SkippedPhotograph> skipped;  // unreadable, or without a keypoint
};
FoundKeypoints find_photograph_keypoints(const std::filesystem::path& folder, const FeatureOptions& options,
                                         int max_side);

}  // namespace adasample
