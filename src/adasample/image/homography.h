// SPDX-License-Identifier: Apache-2.0
// A plane seen in two images: target_from_ref maps pixel coordinates of the reference to those of the target,
//   (x, y, 1) -> M (x, y, 1), divided by its third component, the depth.
// M counts up to a factor only; ours have a largest entry of +-1. Files hold coordinates with pixel centres at integers
// from 0, as base/conventions.h has them (OpenCV's convention, and the one that fits Oxford's sequences).
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "adasample/image/affine.h"

namespace adasample {

class Homography {
 public:
  Homography() = default;  // the identity
  // Row-major; requires finite entries, not all zero.
  explicit Homography(const std::array<double, 9>& entries);
  Homography(const Affine2& a) : Homography({a.a, a.b, a.tx, a.c, a.d, a.ty, 0, 0, 1}) {}  // NOLINT: every one is one

  const std::array<double, 9>& entries() const { return m_; }
  // Zero on the horizon, of one sign on either side of it; linear in p.
  double depth(Point2 p) const { return m_[6] * p.x + m_[7] * p.y + m_[8]; }
  // Requires depth(p) != 0.
  Point2 operator()(Point2 p) const;
  // The affine map that agrees with this one at p in value and first derivatives. Requires depth(p) != 0.
  Affine2 linearised_at(Point2 p) const;
  // Determinant of M with its columns scaled to length 1: in [-1, 1], 0 where M has no inverse.
  double regularity() const;
  Homography inverse() const;

 private:
  std::array<double, 9> m_ = {1, 0, 0, 0, 1, 0, 0, 0, 1};
};

// a_from_b * b_from_c = a_from_c.
Homography operator*(const Homography& l, const Homography& r);

// Nine numbers between blanks, row by row, wherever the lines end. Throws Error naming file and line on fewer, more, on
// what is no finite number, and on a matrix without inverse (|regularity()| below 1e-9).
Homography parse_homography(std::string_view text, const std::string& name);
Homography read_homography(const std::filesystem::path& path);

// Finds target_from_ref from matching places with outliers among them; none where it cannot.
using HomographyEstimator =
    std::function<std::optional<Homography>(std::span<const Point2> ref, std::span<const Point2> target)>;

}  // namespace adasample
