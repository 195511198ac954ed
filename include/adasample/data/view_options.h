// SPDX-License-Identifier: Apache-2.0
// How a class of views is made: how many, how far they differ (graded: from easy to hard) and in what, how large.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "adasample/base/conventions.h"
#include "adasample/data/difficulty.h"

namespace adasample {

enum class Jitter { kGraded, kNarrow, kMiddle, kWide };
std::string_view to_string(Jitter jitter);
Jitter parse_jitter(std::string_view name);  // throws a usage Error that lists the names
std::span<const std::string_view> jitter_names();

struct ViewClassOptions {
  int views = 16;       // patches a class; view 0 is the easiest where the jitter is graded
  int patch_size = 32;  // pixels
  Jitter jitter = Jitter::kGraded;
  Difficulty difficulty = {};          // in what views differ
  bool jpeg = false;                   // whether views suffer JPEG's artefacts too
  double region_factor = kSiftRegion;  // half width of the measurement region, in sigmas of the keypoint
  double min_contrast = 5.0;  // standard deviation of the unjittered patch, grey levels; flatter spots are dropped

  void validate() const;
  nlohmann::json describe() const;  // for meta.json
};

// Classes of keypoints that a detector found again, instead of views cut at the true place.
struct RedetectOptions {
  bool on = false;
  double min_overlap = 0.5;  // with the true frame, of a keypoint found again (intersection over union of the discs)
  double max_turn = 180;     // degrees: those turned further against the true frame are left out

  void validate() const;
  nlohmann::json describe() const;  // for meta.json
};

}  // namespace adasample
