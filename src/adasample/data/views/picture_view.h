// SPDX-License-Identifier: Apache-2.0
// A whole picture, seen again: a plane through a homography, some surfaces of it nearer to the camera than the rest,
// things in front of it, and an exposure of its own. For views in which a detector looks for its keypoints again.
// At strength 1 (data/difficulty.h; s is the shorter side): turned by up to 30 degrees, zoomed by half an octave,
// stretched by half an octave, one edge up to 20 % farther than the centre; nearer surfaces shift by up to 1.5 % of s;
// blurred by up to 1.5 pixels, moved by up to 0.8 % of s; the rest as in a patch.
#pragma once

#include <vector>

#include "adasample/data/views/exposure.h"
#include "adasample/image/homography.h"
#include "adasample/image/scale_pyramid.h"

namespace adasample {

// Something in front, that looks like the view elsewhere.
struct Cover {
  Disc where = {};     // in the view
  int dx = 0, dy = 0;  // to the place it looks like
};

struct PictureView : Exposure {
  Homography picture_from_view;  // of the plane
  std::vector<Disc> near = {};   // surfaces before the plane, in the picture
  Point2 shift = {};             // by which they are off, in pixels of the picture
  double blur = 0;               // sigma, pixels
  Point2 motion = {};
  std::vector<Cover> covers = {};

  // For what lies on the near surfaces, or on the plane.
  Homography picture_from_surface(bool is_near) const;
  bool shows_near(Point2 p) const;                // p in the view; whether a near surface is seen there
  bool is_covered(Point2 p, double clear) const;  // or nearer than `clear` to something in front
};

// View `view` of a picture, a pure function of its arguments. The surfaces are those of the picture, their shift is the
// view's.
PictureView draw_picture_view(RngKey picture_key, int view, double strength, int width, int height,
                              const Difficulty& difficulty, bool jpeg);

// As large as the picture. Beyond the picture's border its reflection is seen.
GrayImage render_picture_view(const ScalePyramid& picture, const PictureView& view);

}  // namespace adasample
