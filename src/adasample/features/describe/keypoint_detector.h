// SPDX-License-Identifier: Apache-2.0
// Keypoints of a picture by OpenCV's SIFT: extrema of differences of Gaussians over position and scale, with the
// dominant orientation, thinned out so that no two show the same spot.
#pragma once

#include <vector>

#include "adasample/features/keypoint.h"
#include "adasample/image/image.h"

namespace adasample {

struct KeypointOptions {
  double min_contrast = 0.03;          // of the extremum, as a share of the grey range (SIFT's contrastThreshold)
  double min_sigma = 1.6;              // image pixels; a smaller region would be blown up to fill a patch
  double region_factor = kSiftRegion;  // half width of the region to be cut, in sigmas
  double max_overlap = 0.1;  // of two regions, as intersection over union of their circles; the stronger stays
  int max_count = 2000;      // the strongest

  void validate() const;
};

// Strongest first. Throws Error when the program was built without OpenCV.
std::vector<Keypoint> detect_keypoints(const GrayImage& image, const KeypointOptions& options);

}  // namespace adasample
