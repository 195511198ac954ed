// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/patch_cutter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "adasample/base/error.h"

namespace adasample {
namespace {

std::array<Point2, 4> corners(const Affine2& map, double low, double high) {
  return {map({low, low}), map({high, low}), map({low, high}), map({high, high})};
}

float bilinear(const float* upper, const float* lower, int left, int right, float fx, float fy) {
  const float top = upper[left] + fx * (upper[right] - upper[left]);
  const float bottom = lower[left] + fx * (lower[right] - lower[left]);
  return top + fy * (bottom - top);
}

// out += weight * level, sampled on the patch's grid.
void add_samples(const ScalePyramid::Level& level, const Affine2& image_from_patch, int size, float weight,
                 float* out) {
  const GrayImage& image = level.image;
  const Affine2 level_from_patch = Affine2::scaling(1 / level.spacing, 1 / level.spacing) * image_from_patch;
  bool inside = true;
  for (const Point2 p : corners(level_from_patch, 0, size - 1)) {
    ADA_ASSERT(std::abs(p.x) < 1e8 && std::abs(p.y) < 1e8);  // also refuses what is no number
    inside = inside && p.x >= 0.01 && p.y >= 0.01 && p.x < image.width - 1.01 && p.y < image.height - 1.01;
  }
  for (int v = 0; v < size; ++v) {
    const Point2 start = level_from_patch({0, static_cast<double>(v)});
    const auto x0 = static_cast<float>(start.x), dx = static_cast<float>(level_from_patch.a);
    const auto y0 = static_cast<float>(start.y), dy = static_cast<float>(level_from_patch.c);
    float* row = out + v * size;
    for (int u = 0; u < size; ++u) {
      const float x = x0 + static_cast<float>(u) * dx, y = y0 + static_cast<float>(u) * dy;
      if (inside) {
        const int ix = static_cast<int>(x), iy = static_cast<int>(y);
        const float fx = x - static_cast<float>(ix), fy = y - static_cast<float>(iy);
        const float* upper = image.row(iy);
        row[u] += weight * bilinear(upper, upper + image.width, ix, ix + 1, fx, fy);
      } else {
        const int ix = static_cast<int>(std::floor(x)), iy = static_cast<int>(std::floor(y));
        const float fx = x - static_cast<float>(ix), fy = y - static_cast<float>(iy);
        row[u] += weight * bilinear(image.row(reflect(iy, image.height)), image.row(reflect(iy + 1, image.height)),
                                    reflect(ix, image.width), reflect(ix + 1, image.width), fx, fy);
      }
    }
  }
}

}  // namespace

void cut(const ScalePyramid& pyramid, const Affine2& image_from_patch, int size, float* out, double extra_blur) {
  const double reduction = image_from_patch.largest_singular_value();
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
  const auto corner_points = corners(image_from_patch, -0.5, size - 0.5);
  return std::all_of(corner_points.begin(), corner_points.end(),
                     [&](Point2 p) { return p.x >= -0.5 && p.y >= -0.5 && p.x <= width - 0.5 && p.y <= height - 0.5; });
}

}  // namespace adasample
