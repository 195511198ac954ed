// SPDX-License-Identifier: Apache-2.0
// Which way up a keypoint is: Lowe's dominant orientation of the gradients around it.
#pragma once

#include "adasample/features/keypoint.h"
#include "adasample/image/scale_pyramid.h"

namespace adasample {

// A histogram of 36 directions of the gradients within 4.5 sigma, on the pyramid's level closest to the keypoint's
// sigma, weighted by their magnitude and a Gaussian of 1.5 sigma; smoothed by (1 4 6 4 1) / 16; its highest bin,
// refined by a parabola. In [-pi, pi], clockwise as seen from +x: where brightness grows. One angle only, where Lowe's
// detector adds keypoints for secondary peaks. 0 where there is no gradient at all.
double dominant_orientation(const ScalePyramid& pyramid, const Keypoint& keypoint);

}  // namespace adasample
