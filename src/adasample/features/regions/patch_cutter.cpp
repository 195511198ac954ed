// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/regions/patch_cutter.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "adasample/image/warp.h"

namespace adasample {
namespace {

// By how much the map stretches the grid where it stretches it most.
double largest_stretch(const Affine2& map, int /*size*/) { return map.largest_singular_value(); }
double largest_stretch(const Homography& map, int size) {
  double largest = 0;
  for (const Point2 p : square_corners(Affine2(), 0, size - 1)) {
    largest = std::max(largest, map.linearised_at(p).largest_singular_value());
  }
  return largest;
}

// out += weight * level, sampled on the patch's grid.
template <typename Map>
void add_samples(const ScalePyramid::Level& level, const Map& image_from_patch, int size, float weight, float* out) {
  const double scale = 1 / level.spacing;
  add_warped(level.image, Affine2::scaling(scale, scale) * image_from_patch, size, weight, out);
}

template <typename Map>
void cut_mapped(const ScalePyramid& pyramid, const Map& image_from_patch, int size, float* out, double extra_blur) {
  const double reduction = largest_stretch(image_from_patch, size);
  const double antialias = ScalePyramid::kSigmaPerReduction * std::sqrt(std::max(0.0, reduction * reduction - 1));
  const double variance = antialias * antialias + extra_blur * extra_blur * reduction * reduction;

  // Climb the ladder: the image itself, then steps 1 to 3 of each octave, where blur is never below 0.9 of the spacing.
  const ScalePyramid::Level* below = &pyramid.level(0, 0);
  const ScalePyramid::Level* above = below;
  for (int rung = 0; above->blur * above->blur < variance && rung < ScalePyramid::kSteps * pyramid.octave_count();
       ++rung) {
    below = above;
    above = &pyramid.level(rung / ScalePyramid::kSteps, 1 + rung % ScalePyramid::kSteps);
  }
  const double low = below->blur * below->blur, high = above->blur * above->blur;
  const double share = high > low ? std::clamp((variance - low) / (high - low), 0.0, 1.0) : 1.0;

  std::fill_n(out, size * size, 0.0f);
  if (share < 1) add_samples(*below, image_from_patch, size, static_cast<float>(1 - share), out);
  if (share > 0) add_samples(*above, image_from_patch, size, static_cast<float>(share), out);
}

bool holds(int width, int height, Point2 p) {
  return p.x >= -0.5 && p.y >= -0.5 && p.x <= width - 0.5 && p.y <= height - 0.5;
}

}  // namespace

void cut(const ScalePyramid& pyramid, const Affine2& image_from_patch, int size, float* out, double extra_blur) {
  cut_mapped(pyramid, image_from_patch, size, out, extra_blur);
}

void cut(const ScalePyramid& pyramid, const Homography& image_from_patch, int size, float* out) {
  cut_mapped(pyramid, image_from_patch, size, out, /*extra_blur=*/0);
}

void cut(const ScalePyramid& pyramid, const Affine2& image_from_patch, int size, uint8_t* out) {
  std::vector<float> patch(static_cast<size_t>(size * size));
  cut(pyramid, image_from_patch, size, patch.data());
  std::transform(patch.begin(), patch.end(), out, to_byte);
}

Affine2 patch_frame(double x, double y, double half_width, double angle, int size) {
  const double scale = 2 * half_width / size, centre = 0.5 * (size - 1);
  return Affine2::translation(x, y) * Affine2::rotation(angle) * Affine2::scaling(scale, scale) *
         Affine2::translation(-centre, -centre);
}

bool is_inside(const Affine2& image_from_patch, int size, int width, int height) {
  const auto corners = square_corners(image_from_patch, -0.5, size - 0.5);
  return std::all_of(corners.begin(), corners.end(), [&](Point2 p) { return holds(width, height, p); });
}

// The depth is linear and a projected square convex: the corners tell.
bool is_inside(const Homography& image_from_patch, int size, int width, int height) {
  const auto corners = square_corners(Affine2(), -0.5, size - 0.5);
  const double side = image_from_patch.depth(corners[0]);
  return std::all_of(corners.begin(), corners.end(), [&](Point2 p) {
    return image_from_patch.depth(p) * side > 0 && holds(width, height, image_from_patch(p));
  });
}

}  // namespace adasample
