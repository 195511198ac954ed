// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/regions/region_overlap.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "adasample/base/error.h"
#include "adasample/base/random/feistel.h"
#include "adasample/features/regions/region_index.h"

namespace adasample {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kSlices = 64;
constexpr size_t kFewRegions = 4096;  // of so many a look at each is faster than the index

double over_union(double intersection, double area_a, double area_b) {
  return std::clamp(intersection / (area_a + area_b - intersection), 0.0, 1.0);
}

// The area between a circle and a chord at `distance` (signed) from its centre.
double segment_area(double radius, double distance) {
  const double cosine = std::clamp(distance / radius, -1.0, 1.0);
  return radius * radius * (std::acos(cosine) - cosine * std::sqrt(1 - cosine * cosine));
}

}  // namespace

double circle_overlap(Point2 centre_a, double radius_a, Point2 centre_b, double radius_b) {
  ADA_ASSERT(radius_a > 0 && radius_b > 0);
  const double area_a = kPi * radius_a * radius_a, area_b = kPi * radius_b * radius_b;
  const double d = std::hypot(centre_a.x - centre_b.x, centre_a.y - centre_b.y);
  if (d >= radius_a + radius_b) return 0;
  if (d <= std::abs(radius_a - radius_b)) return over_union(std::min(area_a, area_b), area_a, area_b);
  const double chord_a = (d * d + radius_a * radius_a - radius_b * radius_b) / (2 * d);
  return over_union(segment_area(radius_a, chord_a) + segment_area(radius_b, d - chord_a), area_a, area_b);
}

// In the frame where `a` is the unit disc the two shapes are cut into slices along y, whose common lengths are known
// exactly. x = middle - half cos(t) with t in even steps takes the square roots out of the ends of the integral.
double ellipse_overlap(const Affine2& a, const Affine2& b) {
  const Affine2 e = a.inverse() * b;
  const double area = kPi * std::abs(e.determinant());
  ADA_ASSERT(area > 0);
  // The ellipse is S^-1 (p - c) . (p - c) <= 1 with S = E E^T.
  const double sxx = e.a * e.a + e.b * e.b, sxy = e.a * e.c + e.b * e.d;
  const double width = std::sqrt(sxx);
  const double low = std::max(-1.0, e.tx - width), high = std::min(1.0, e.tx + width);
  if (low >= high) return 0;
  const double middle = 0.5 * (low + high), half = 0.5 * (high - low);
  double intersection = 0;
  for (int i = 0; i < kSlices; ++i) {
    const double t = kPi * (i + 0.5) / kSlices, x = middle - half * std::cos(t);
    const double dx = (x - e.tx) / width;  // -1 to 1 across the ellipse
    const double centre = e.ty + sxy / width * dx;
    const double reach = area / kPi / width * std::sqrt(std::max(0.0, 1 - dx * dx));
    const double disc = std::sqrt(std::max(0.0, 1 - x * x));
    const double length = std::min(disc, centre + reach) - std::max(-disc, centre - reach);
    intersection += std::max(0.0, length) * half * std::sin(t) * kPi / kSlices;
  }
  return over_union(intersection, kPi, area);
}

std::vector<size_t> suppress_overlaps(std::span<const Keypoint> keypoints, std::span<const size_t> order,
                                      double region_factor, double max_overlap) {
  if (max_overlap >= 1) return {order.begin(), order.end()};  // nothing overlaps by more than all
  const auto region = [&](size_t i) -> SquareRegion {
    return {keypoints[i].x, keypoints[i].y, region_factor * keypoints[i].sigma};
  };
  RegionIndex taken(max_overlap, RegionShape::kCircle);
  std::vector<size_t> kept;
  const bool few = order.size() <= kFewRegions;
  const auto clashes = [&](size_t i) {
    if (!few) return taken.covers(region(i));
    return std::any_of(kept.begin(), kept.end(), [&](size_t j) { return taken.clash(region(i), region(j)); });
  };
  for (const size_t i : order) {
    if (clashes(i)) continue;
    if (!few) taken.insert(region(i));
    kept.push_back(i);
  }
  return kept;
}

std::vector<size_t> strongest_first(std::span<const Keypoint> keypoints) {
  std::vector<size_t> order(keypoints.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return keypoints[a].strength > keypoints[b].strength; });
  return order;
}

std::vector<size_t> shuffled_order(size_t count, RngKey key) {
  std::vector<size_t> order;
  if (count == 0) return order;
  const FeistelPermutation shuffled(count, key);
  for (size_t i = 0; i < count; ++i) order.push_back(shuffled.image(i));
  return order;
}

}  // namespace adasample
