// SPDX-License-Identifier: Apache-2.0
// A patch store from nothing: dead-leaves scenes, blobs as keypoints, K jittered views of each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "adasample/data/views.h"

namespace adasample {

struct SyntheticOptions {
  int64_t classes = 4000;
  int views = 16;       // patches a class; view 0 is the easiest where the jitter is graded
  int patch_size = 32;  // pixels
  uint64_t seed = 0;
  std::string part = "train";  // or "heldout": the two never share a scene, whatever the seed
  Jitter jitter = Jitter::kGraded;
  int classes_per_scene = 40;  // at most
  double region_factor = 6.0;  // half width of the measurement region, in sigmas of the blob (SIFT's is 6)
  double min_contrast = 5.0;   // standard deviation of the unjittered patch, grey levels; flatter keypoints are dropped

  void validate() const;
};

// Writes the store to `out`, which must not exist. The bytes depend on the options alone, not on the thread count;
// stores that differ in `classes` only begin alike.
void make_synthetic_store(const SyntheticOptions& options, const std::filesystem::path& out);

}  // namespace adasample
