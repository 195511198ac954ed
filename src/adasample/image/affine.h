// SPDX-License-Identifier: Apache-2.0
// Affine maps of the plane, named target_from_source.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace adasample {

struct Point2 {
  double x = 0, y = 0;
};

// (x, y) -> (a x + b y + tx, c x + d y + ty)
struct Affine2 {
  double a = 1, b = 0, tx = 0;
  double c = 0, d = 1, ty = 0;

  static Affine2 translation(double x, double y) { return {1, 0, x, 0, 1, y}; }
  static Affine2 scaling(double x, double y) { return {x, 0, 0, 0, y, 0}; }
  // From +x towards +y: clockwise as seen.
  static Affine2 rotation(double angle) {
    const double cosine = std::cos(angle), sine = std::sin(angle);
    return {cosine, -sine, 0, sine, cosine, 0};
  }

  Point2 operator()(Point2 p) const { return {a * p.x + b * p.y + tx, c * p.x + d * p.y + ty}; }
  double determinant() const { return a * d - b * c; }

  // Requires determinant() != 0.
  Affine2 inverse() const {
    const double k = 1 / determinant();
    return {d * k, -b * k, (b * ty - d * tx) * k, -c * k, a * k, (c * tx - a * ty) * k};
  }

  // How much the map stretches along the direction it stretches most.
  double largest_singular_value() const {
    const double half_trace = 0.5 * (a * a + b * b + c * c + d * d);
    return std::sqrt(half_trace + std::sqrt(std::max(0.0, half_trace * half_trace - determinant() * determinant())));
  }
};

// a_from_b * b_from_c = a_from_c.
inline Affine2 operator*(const Affine2& l, const Affine2& r) {
  return {l.a * r.a + l.b * r.c, l.a * r.b + l.b * r.d, l.a * r.tx + l.b * r.ty + l.tx,
          l.c * r.a + l.d * r.c, l.c * r.b + l.d * r.d, l.c * r.tx + l.d * r.ty + l.ty};
}

// Where the corners of the square [low, high] x [low, high] come to lie.
inline std::array<Point2, 4> square_corners(const Affine2& map, double low, double high) {
  return {map({low, low}), map({high, low}), map({low, high}), map({high, high})};
}

}  // namespace adasample
