// SPDX-License-Identifier: Apache-2.0
// A disc, or all but one: the edge of a shadow, of something in front, of a nearer surface. Large ones have edges that
// are almost straight.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "adasample/base/random/rng.h"
#include "adasample/image/affine.h"

namespace adasample {

inline constexpr double kFullTurn = 2 * std::numbers::pi;

struct Disc {
  double x = 0, y = 0, radius = 1;
  bool outside = false;  // all but the disc

  // How far inside the edge p lies; negative where the disc does not reach.
  double depth(Point2 p) const {
    const double inside = radius - std::hypot(p.x - x, p.y - y);
    return outside ? -inside : inside;
  }
};

// Share of a pixel that is covered at this depth, by an edge that is `width` pixels wide: 0 at -width / 2, 1 at
// width / 2, smooth between.
inline double coverage(double depth, double width) {
  const double t = std::clamp(depth / width + 0.5, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

// The disc whose edge passes `distance` beside `centre` in this direction, and which reaches away from it: bulging
// towards the centre, or hollow where `outside`.
inline Disc disc_beside(Point2 centre, double direction, double distance, double radius, bool outside) {
  const double reach = outside ? distance - radius : distance + radius;
  return {.x = centre.x + reach * std::cos(direction),
          .y = centre.y + reach * std::sin(direction),
          .radius = radius,
          .outside = outside};
}

// Such an edge in any direction, curved or almost straight, through a square of this width; one in four is hollow, and
// none so much that it closes around the square like a peephole.
inline Disc draw_edge(RngStream& rng, Point2 centre, double distance, double width) {
  const double direction = rng.uniform(0, kFullTurn), radius = width * std::exp2(rng.uniform(-1, 3));
  const bool hollow = rng.uniform() < 0.25;
  return disc_beside(centre, direction, distance, hollow ? std::max(radius, 2 * width) : radius, hollow);
}

}  // namespace adasample
