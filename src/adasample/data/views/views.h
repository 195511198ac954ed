// SPDX-License-Identifier: Apache-2.0
// Views of one spot: geometric and photometric jitter. Everything scales with one number, the strength; at strength 1
// ("wide") a view turns by up to 25 degrees, zooms by 0.35 octaves, shifts by 15 % of the patch's width along each axis
// and stretches by 0.2 octaves along a random direction; gamma, light, blur, noise and JPEG compression follow suit.
// data/difficulty.h weighs these kinds against each other, and has more of them. A class with graded views holds easy
// and hard ones: that is where adaptive sampling of positives pays (docs/method.md).
#pragma once

#include <cstdint>
#include <optional>

#include "adasample/base/random/rng.h"
#include "adasample/data/view_options.h"
#include "adasample/data/views/exposure.h"
#include "adasample/image/affine.h"
#include "adasample/image/scale_pyramid.h"

namespace adasample {

// narrow 0.4, middle 0.7, wide 1; graded: from 0.15 for view 0 linearly to 1.2 for view `views` - 1.
double view_strength(Jitter jitter, int view, int views);

// A second surface in the patch, nearer or farther than the one of its centre, and so shifted against it.
struct SecondSurface {
  Disc where = {};    // in the patch as it was before the view
  bool near = false;  // its edge moves with it, over the first one; else it is uncovered beyond a fixed edge
  Point2 shift = {};  // patch pixels
};

// Another spot of the picture in front of the patch.
struct Occluder {
  Disc where = {};             // in the view
  double right = 0, down = 0;  // where its texture comes from: shares of the picture's width and height
  double angle = 0;            // and which way up
};

struct View : Exposure {
  Affine2 patch_from_view;  // about the patch's centre
  double blur = 0;          // sigma, in patch pixels
  Point2 motion = {};       // during the exposure, patch pixels
  std::optional<SecondSurface> second = {};
  std::optional<Occluder> occluder = {};
};

// The geometry alone, patch_from_view: turn, zoom, shift and stretch about the centre of a patch of `size` pixels.
Affine2 draw_warp(RngStream& rng, double strength, int size);

// View `view` of a class. A pure function of its arguments; strength 0 is the unchanged patch. Kinds of difficulty, and
// `jpeg` (compressed as well), leave each other's draws as they are.
View draw_view(RngKey class_key, int view, double strength, int size, const Difficulty& difficulty = {},
               bool jpeg = false);

// out: (size, size). Cuts image_from_patch * view.patch_from_view with what stands before and beside it, moves, then
// shades, bends, stretches, adds noise, clips and compresses.
void render_view(const ScalePyramid& pyramid, const Affine2& image_from_patch, const View& view, int size,
                 uint8_t* out);

}  // namespace adasample
