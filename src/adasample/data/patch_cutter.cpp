// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/patch_cutter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "adasample/base/error.h"

namespace adasample {
namespace {

std::array<Point2, 4> corners(double low, double high) {
  return {{{low, low}, {high, low}, {low, high}, {high, high}}};
}

// Row v of a patch's grid, mapped: sample u -> (x, y).
auto mapped_row(const Affine2& map, int v) {
  const Point2 start = map({0, static_cast<double>(v)});
  return [x0 = static_cast<float>(start.x), y0 = static_cast<float>(start.y), dx = static_cast<float>(map.a),
          dy = static_cast<float>(map.c)](int u) {
    return std::pair(x0 + static_cast<float>(u) * dx, y0 + static_cast<float>(u) * dy);
  };
}
auto mapped_row(const Homography& map, int v) {
  return [&map, y = static_cast<double>(v)](int u) {
    const Point2 p = map({static_cast<double>(u), y});
    return std::pair(static_cast<float>(p.x), static_cast<float>(p.y));
  };
}

// By how much the map stretches the grid where it stretches it most.
double largest_stretch(const Affine2& map, int /*size*/) { return map.largest_singular_value(); }
double largest_stretch(const Homography& map, int size) {
  double largest = 0;
  for (const Point2 p : corners(0, size - 1))
    largest = std::max(largest, map.linearised_at(p).largest_singular_value());
  return largest;
}

float bilinear(const float* upper, const float* lower, int left, int right, float fx, float fy) {
  const float top = upper[left] + fx * (upper[right] - upper[left]);
  const float bottom = lower[left] + fx * (lower[right] - lower[left]);
  return top + fy * (bottom - top);
}

// out += weight * level, sampled on the patch's grid.
template <typename Map>
void add_samples(const ScalePyramid::Level& level, const Map& image_from_patch, int size, float weight, float* out) {
  const GrayImage& image = level.image;
  const Map level_from_patch = Affine2::scaling(1 / level.spacing, 1 / level.spacing) * image_from_patch;
  bool inside = true;
  for (const Point2 corner : corners(0, size - 1)) {
    const Point2 p = level_from_patch(corner);
    ADA_ASSERT(std::abs(p.x) < 1e8 && std::abs(p.y) < 1e8);  // also refuses what is no number
    inside = inside && p.x >= 0.01 && p.y >= 0.01 && p.x < image.width - 1.01 && p.y < image.height - 1.01;
  }
  for (int v = 0; v < size; ++v) {
    const auto sample = mapped_row(level_from_patch, v);
    float* row = out + v * size;
    for (int u = 0; u < size; ++u) {
      const auto [x, y] = sample(u);
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
  const auto square = corners(-0.5, size - 0.5);
  return std::all_of(square.begin(), square.end(), [&](Point2 p) { return holds(width, height, image_from_patch(p)); });
}

bool is_inside(const Homography& image_from_patch, int size, int width, int height) {
  const auto square = corners(-0.5, size - 0.5);
  const double side = image_from_patch.depth(square[0]);
  return std::all_of(square.begin(), square.end(), [&](Point2 p) {
    return image_from_patch.depth(p) * side > 0 && holds(width, height, image_from_patch(p));
  });
}

}  // namespace adasample
