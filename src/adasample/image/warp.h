// SPDX-License-Identifier: Apache-2.0
// An image seen through a map: bilinear, without antialiasing; beyond the image its reflection is read.
#pragma once

#include "adasample/image/affine.h"
#include "adasample/image/homography.h"
#include "adasample/image/image.h"

namespace adasample {

// out: (size, size); adds weight * image, sampled where the map sends the patch's pixel centres.
void add_warped(const GrayImage& image, const Affine2& image_from_patch, int size, float weight, float* out);
// Every sample is projected exactly. The horizon must not cross the patch.
void add_warped(const GrayImage& image, const Homography& image_from_patch, int size, float weight, float* out);

}  // namespace adasample
