// SPDX-License-Identifier: Apache-2.0
// A patch store from nothing: dead-leaves scenes, blobs as keypoints, K jittered views of each; or keypoints of a
// detector with where it found them again in views of the whole scene.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "adasample/data/view_options.h"

namespace adasample {

struct SyntheticOptions {
  int64_t classes = 4000;
  ViewClassOptions cut = {};
  RedetectOptions redetect = {};
  uint64_t seed = 0;
  std::string part = "train";  // or "heldout": the two never share a scene, whatever the seed
  int classes_per_scene = 40;  // at most

  void validate() const;
};

// Writes the store to `out`, which must not exist. The bytes depend on the options alone, not on the thread count;
// stores that differ in `classes` only begin alike.
void make_synthetic_store(const SyntheticOptions& options, const std::filesystem::path& out);

}  // namespace adasample
