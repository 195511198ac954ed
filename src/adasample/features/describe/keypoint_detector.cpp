// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/describe/keypoint_detector.h"
#include "adasample/base/error.h"

namespace adasample {

void KeypointOptions::validate() const {
  ADA_USAGE(min_contrast >= 0 && min_contrast <= 1, "KeypointOptions::min_contrast = {}, must be 0 to 1", min_contrast);
  ADA_USAGE(min_sigma >= 0.1 && min_sigma <= 1000, "KeypointOptions::min_sigma = {}, must be 0.1 to 1000", min_sigma);
  ADA_USAGE(region_factor >= 1 && region_factor <= 100, "KeypointOptions::region_factor = {}, must be 1 to 100",
            region_factor);
  ADA_USAGE(max_overlap >= 0 && max_overlap <= 1, "KeypointOptions::max_overlap = {}, must be 0 to 1", max_overlap);
  ADA_USAGE(max_count >= 1, "KeypointOptions::max_count = {}, must be >= 1", max_count);
}

}  // namespace adasample
