// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/warp.h"

#include <cmath>
#include <cstddef>

#include "adasample/base/error.h"

namespace adasample {
namespace {

// std::floor is a library call on a plain x86-64.
int floor_of(float value) {
  const int truncated = static_cast<int>(value);
  return truncated - (static_cast<float>(truncated) > value ? 1 : 0);
}

float bilinear(const float* upper, const float* lower, int left, int right, float fx, float fy) {
  const float top = upper[left] + fx * (upper[right] - upper[left]);
  const float bottom = lower[left] + fx * (lower[right] - lower[left]);
  return top + fy * (bottom - top);
}

}  // namespace

void add_warped(const GrayImage& image, const Affine2& image_from_patch, int size, float weight, float* out) {
  for (const Point2 p : square_corners(image_from_patch, 0, size - 1)) {
    ADA_ASSERT(std::abs(p.x) < 1e8 && std::abs(p.y) < 1e8);  // also refuses what is no number
  }
  for (int v = 0; v < size; ++v) {
    const Point2 start = image_from_patch({0, static_cast<double>(v)});
    const auto x0 = static_cast<float>(start.x), dx = static_cast<float>(image_from_patch.a);
    const auto y0 = static_cast<float>(start.y), dy = static_cast<float>(image_from_patch.c);
    float* row = out + ptrdiff_t{v} * size;
    for (int u = 0; u < size; ++u) {
      const float x = x0 + static_cast<float>(u) * dx, y = y0 + static_cast<float>(u) * dy;
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

}  // namespace adasample
