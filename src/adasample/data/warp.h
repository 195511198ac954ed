// SPDX-License-Identifier: Apache-2.0
// An image seen through an affine map: bilinear, without antialiasing; beyond the image its reflection is read.
#pragma once

#include "adasample/data/affine.h"
#include "adasample/data/image.h"

namespace adasample {

// out: (size, size); adds weight * image, sampled where the map sends the patch's pixel centres.
void add_warped(const GrayImage& image, const Affine2& image_from_patch, int size, float weight, float* out);

}  // namespace adasample
