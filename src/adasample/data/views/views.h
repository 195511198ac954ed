// SPDX-License-Identifier: Apache-2.0
// Views of one spot: geometric and photometric jitter. Everything scales with one number, the strength; at strength 1
// ("wide") a view turns by up to 25 degrees, zooms by 0.35 octaves, shifts by 15 % of the patch's width along each axis
// and stretches by 0.2 octaves along a random direction; gamma, light, blur, noise and JPEG compression follow suit.
// A class with graded views holds easy and hard ones: that is where adaptive sampling of positives pays
// (docs/method.md).
#pragma once

#include <cstdint>

#include "adasample/base/random/rng.h"
#include "adasample/data/view_options.h"
#include "adasample/image/affine.h"
#include "adasample/image/scale_pyramid.h"

namespace adasample {

// narrow 0.4, middle 0.7, wide 1; graded: from 0.15 for view 0 linearly to 1.2 for view `views` - 1.
double view_strength(Jitter jitter, int view, int views);

struct View {
  Affine2 patch_from_view;          // about the patch's centre
  double blur = 0;                  // sigma, in patch pixels
  double shade_x = 0, shade_y = 0;  // share of light gained from the centre to the right and the lower edge
  double gamma = 1;
  double gain = 1, bias = 0;  // about mid grey; bias in grey levels
  double noise = 0;           // sigma, in grey levels
  RngKey noise_key = RngKey(0, Draw::kView);
  int jpeg_quality = 0;  // 1 to 100; 0: not compressed
  int jpeg_shift_x = 0, jpeg_shift_y = 0;
};

// The geometry alone, patch_from_view: turn, zoom, shift and stretch about the centre of a patch of `size` pixels.
Affine2 draw_warp(RngStream& rng, double strength, int size);

// A pure function of its arguments; strength 0 is the unchanged patch.
// `jpeg`: compressed as well, which leaves the other draws as they are.
View draw_view(RngKey key, double strength, int size, bool jpeg = false);

// out: (size, size). Cuts image_from_patch * view.patch_from_view, then shades, bends, stretches, adds noise, clips and
// compresses.
void render_view(const ScalePyramid& pyramid, const Affine2& image_from_patch, const View& view, int size,
                 uint8_t* out);

}  // namespace adasample
