// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/views/jitter_levels.h"

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/data/views/views.h"
#include "adasample/features/regions/region_overlap.h"

namespace adasample {
namespace {

constexpr JitterLevel kLevels[] = {{'e', "easy", 0.85, 0.43}, {'h', "hard", 0.72, 0.869}, {'t', "tough", 0.60, 1.347}};

constexpr int kSize = 64;  // overlaps do not depend on it
constexpr int kDraws = 20000;
constexpr double kStrongest = 4;  // median overlap below 0.3

}  // namespace

std::span<const JitterLevel> jitter_levels() { return kLevels; }

double warp_overlap(const Affine2& patch_from_view, int size) {
  const double centre = 0.5 * (size - 1), radius = 0.5 * size;
  const Affine2 disc = Affine2::translation(centre, centre) * Affine2::scaling(radius, radius);
  return ellipse_overlap(disc, patch_from_view * disc);
}

double median(std::vector<double> values) {
  ADA_ASSERT(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double median_warp_overlap(RngKey key, double strength, int count) {
  std::vector<double> overlaps;
  for (int i = 0; i < count; ++i) {
    RngStream rng(key.at(static_cast<uint64_t>(i)));
    overlaps.push_back(warp_overlap(draw_warp(rng, strength, kSize), kSize));
  }
  return median(std::move(overlaps));
}

// The draws are the same at every strength, so that the median falls as the strength grows.
double calibrated_strength(double median_overlap) {
  ADA_USAGE(median_overlap > 0.3 && median_overlap < 1, "median_overlap = {}, must be in (0.3, 1)", median_overlap);
  const RngKey key(0, Draw::kSequences);
  double low = 0, high = kStrongest;
  while (high - low > 1e-4) {
    const double middle = 0.5 * (low + high);
    (median_warp_overlap(key, middle, kDraws) > median_overlap ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace adasample
