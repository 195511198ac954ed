// SPDX-License-Identifier: Apache-2.0
// Which keypoints are looked for in a picture, and what is cut around them.
#pragma once

#include <string>
#include <vector>

#include "adasample/base/conventions.h"

namespace adasample {

// dog, hessian and harris are our own; sift, orb, akaze and brisk are OpenCV's (features/use_opencv.h).
std::vector<std::string> keypoint_detector_names();

struct FeatureOptions {
  std::string detector = "dog";  // one of keypoint_detector_names()
  int max_keypoints = 2000;      // places, the strongest; sift may give a place two orientations
  bool upright = false;          // angle 0 instead of the dominant orientation
  // Half width of the region that is cut, in sigmas; beyond the border it is mirrored.
  double region_factor = kSiftRegion;
  // Least contrast, as a share of the grey range (SIFT's contrastThreshold; 100 times as many grey levels of dog's,
  // hessian's and harris' strength). 0: the detector's own, 0.02. orb, akaze and brisk have OpenCV's thresholds.
  double min_contrast = 0;
  double min_sigma = 0;    // image pixels; 0: the detector's own
  double max_overlap = 1;  // of two regions' circles, intersection over union: the stronger stays; 1: both do
  int size = kPatchSize;   // of the patches to describe, pixels

  void validate() const;  // throws a usage Error
};

struct PictureOptions {
  FeatureOptions features;
  int max_side = 3000;     // pixels; a larger picture is halved until it fits, which bounds the memory
  bool as_stored = false;  // pixels as COLMAP and hloc have them, whatever EXIF says of their orientation; else upright

  void validate() const;
};

}  // namespace adasample
