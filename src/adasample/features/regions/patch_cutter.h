// SPDX-License-Identifier: Apache-2.0
// Cuts patches out of an image without aliasing: the sample grid of the patch, mapped into the image, stretches by at
// most the largest singular value r of the map, so the pixels are read where the pyramid carries the blur of reduction
// r (blended from the two nearest levels so that the variances agree), bilinearly. r <= 1 reads the image itself.
// Beyond the image its reflection is read.
#pragma once

#include <cstdint>

#include "adasample/features/keypoint.h"
#include "adasample/image/affine.h"
#include "adasample/image/homography.h"
#include "adasample/image/scale_pyramid.h"

namespace adasample {

// out: (size, size). `extra_blur` is the sigma of a further Gaussian blur, in patch pixels.
void cut(const ScalePyramid& pyramid, const Affine2& image_from_patch, int size, float* out, double extra_blur = 0);
void cut(const ScalePyramid& pyramid, const Affine2& image_from_patch, int size, uint8_t* out);
// Every sample projected exactly, under the blur of the most stretched corner. The horizon must not cross the patch.
void cut(const ScalePyramid& pyramid, const Homography& image_from_patch, int size, float* out);

// The patch of `size` pixels whose square, [-1/2, size - 1/2] in patch coordinates, is centred at (x, y), has this half
// width in image pixels and has its +x axis turned to `angle`.
Affine2 patch_frame(double x, double y, double half_width, double angle, int size);

// The measurement region of a keypoint: its half width is `region_factor` sigmas (base/conventions.h).
inline Affine2 keypoint_frame(const Keypoint& k, double region_factor, int size) {
  return patch_frame(k.x, k.y, region_factor * k.sigma, k.angle, size);
}

// Whether the whole square of the patch lies inside the image.
bool is_inside(const Affine2& image_from_patch, int size, int width, int height);
bool is_inside(const Homography& image_from_patch, int size, int width, int height);  // nor is it cut by the horizon

}  // namespace adasample
