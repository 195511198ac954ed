// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/warp.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "adasample/base/error.h"

namespace adasample {
namespace {

float bilinear(const float* upper, const float* lower, int left, int right, float fx, float fy) {
  const float top = upper[left] + fx * (upper[right] - upper[left]);
  const float bottom = lower[left] + fx * (lower[right] - lower[left]);
  return top + fy * (bottom - top);
}

// std::floor is a library call on a plain x86-64.
int floor_of(float value) {
  const int truncated = static_cast<int>(value);
  return truncated - (static_cast<float>(truncated) > value ? 1 : 0);
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

// A row all of whose samples lie between pixels: nothing to ask, so that the compiler can take several at a time.
template <typename Sample>
void add_row_inside(const GrayImage& image, const Sample& sample, int size, float weight, float* __restrict row) {
  const float* __restrict pixels = image.pixels.data();
  const int width = image.width;
  for (int u = 0; u < size; ++u) {
    const auto [x, y] = sample(u);
    const int ix = static_cast<int>(x), iy = static_cast<int>(y), at = iy * width + ix;
    row[u] += weight *
              bilinear(pixels + at, pixels + at + width, 0, 1, x - static_cast<float>(ix), y - static_cast<float>(iy));
  }
}

template <typename Map>
void add_mapped(const GrayImage& image, const Map& image_from_patch, int size, float weight, float* out) {
  bool inside = true;  // with a pixel to spare for rounding, so that no sample needs the reflection
  for (const Point2 corner : square_corners(Affine2(), 0, size - 1)) {
    const Point2 p = image_from_patch(corner);
    ADA_ASSERT(std::abs(p.x) < 1e8 && std::abs(p.y) < 1e8);  // also refuses what is no number
    inside = inside && p.x >= 1 && p.y >= 1 && p.x < image.width - 2 && p.y < image.height - 2;
  }
  inside = inside && image.pixels.size() <= size_t{std::numeric_limits<int>::max()};
  for (int v = 0; v < size; ++v) {
    const auto sample = mapped_row(image_from_patch, v);
    float* row = out + static_cast<ptrdiff_t>(v) * size;
    if (inside) {
      add_row_inside(image, sample, size, weight, row);
      continue;
    }
    for (int u = 0; u < size; ++u) {
      const auto [x, y] = sample(u);
      const int ix = floor_of(x), iy = floor_of(y);
      const float fx = x - static_cast<float>(ix), fy = y - static_cast<float>(iy);
      if (ix >= 0 && iy >= 0 && ix + 1 < image.width && iy + 1 < image.height) {
        const float* upper = image.row(iy);
        row[u] += weight * bilinear(upper, upper + image.width, ix, ix + 1, fx, fy);
      } else {
        row[u] += weight * bilinear(image.row(reflect(iy, image.height)), image.row(reflect(iy + 1, image.height)),
                                    reflect(ix, image.width), reflect(ix + 1, image.width), fx, fy);
      }
    }
  }
}

}  // namespace

void add_warped(const GrayImage& image, const Affine2& image_from_patch, int size, float weight, float* out) {
  add_mapped(image, image_from_patch, size, weight, out);
}

void add_warped(const GrayImage& image, const Homography& image_from_patch, int size, float weight, float* out) {
  add_mapped(image, image_from_patch, size, weight, out);
}

}  // namespace adasample
