// SPDX-License-Identifier: Apache-2.0
// A homography from matches by OpenCV's RANSAC: a match within 3 pixels supports a candidate, 10,000 candidates at
// most, confidence 0.9999. OpenCV draws from a generator of its own with a fixed seed: the same matches, the same
// homography.
#pragma once

#include "adasample/eval/plane_matching.h"

namespace adasample {

// Empty when the program was built without OpenCV.
HomographyEstimator make_homography_estimator();

}  // namespace adasample
