// SPDX-License-Identifier: Apache-2.0
// A class out of one spot of one picture: K jittered views of it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "adasample/data/keypoint.h"
#include "adasample/data/views.h"

namespace adasample {

struct ViewClassOptions {
  int views = 16;       // patches a class; view 0 is the easiest where the jitter is graded
  int patch_size = 32;  // pixels
  Jitter jitter = Jitter::kGraded;
  bool jpeg = false;                   // whether views suffer JPEG's artefacts too
  double region_factor = kSiftRegion;  // half width of the measurement region, in sigmas of the keypoint
  double min_contrast = 5.0;  // standard deviation of the unjittered patch, grey levels; flatter spots are dropped

  void validate() const;
  nlohmann::json describe() const;  // for meta.json
};

using PatchClass = std::vector<uint8_t>;  // (views, size, size)

// Empty when a view leaves the image, or a view or the spot itself is flat. A pure function of its arguments.
PatchClass cut_view_class(const ScalePyramid& pyramid, const Keypoint& keypoint, RngKey key,
                          const ViewClassOptions& options);

}  // namespace adasample
