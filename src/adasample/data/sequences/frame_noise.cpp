// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/sequences/frame_noise.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/features/regions/region_overlap.h"

namespace adasample {
namespace {

// calibrated_factor() of the default ranges, to three decimals.
constexpr std::array<NoiseLevel, 3> kDefaultLevels = {
    {{'e', "easy", 0.85, 0.664}, {'h', "hard", 0.72, 1.340}, {'t', "tough", 0.60, 2.074}}};

constexpr int kAnySize = 64;  // overlaps do not depend on it
constexpr int kCalibrationDraws = 20000;
constexpr double kLargestFactor = 1000;
constexpr double kFullTurn = 360;

double cut_off_normal(RngStream& rng) {
  double z = rng.normal();
  while (std::abs(z) > kFrameNoiseEnds) z = rng.normal();
  return z;
}

// Both axes together, so that no direction reaches farther than another.
Point2 cut_off_normal_2d(RngStream& rng) {
  Point2 z{rng.normal(), rng.normal()};
  while (std::hypot(z.x, z.y) > kFrameNoiseEnds) z = {rng.normal(), rng.normal()};
  return z;
}

void check_range(const char* name, double value, double most) {
  ADA_USAGE(value >= 0 && value <= most, "FrameNoise::{} = {}, must be 0 to {}", name, value, most);
}

}  // namespace

void FrameNoise::validate() const {
  check_range("rotation", rotation, 90);
  check_range("shift", shift, 1);
  check_range("scale", scale, 2);
  check_range("anisotropy", anisotropy, 2);
}

Affine2 draw_frame_noise(RngKey key, const FrameNoise& ranges, double factor, int size) {
  RngStream rng(key);
  const double turn = factor * ranges.rotation * cut_off_normal(rng) * std::numbers::pi / 180;
  const double zoom = std::exp2(factor * ranges.scale * cut_off_normal(rng));
  const double ratio = std::exp2(factor * ranges.anisotropy * std::abs(cut_off_normal(rng)));
  const double along = rng.uniform(0, std::numbers::pi);
  const Point2 shift = cut_off_normal_2d(rng);
  const double centre = 0.5 * (size - 1), reach = factor * ranges.shift * 0.5 * size;
  // The area is the zoom's alone.
  const Affine2 stretch =
      Affine2::rotation(along) * Affine2::scaling(std::sqrt(ratio), 1 / std::sqrt(ratio)) * Affine2::rotation(-along);
  return Affine2::translation(centre + reach * shift.x, centre + reach * shift.y) * stretch * Affine2::rotation(turn) *
         Affine2::scaling(zoom, zoom) * Affine2::translation(-centre, -centre);
}

double disc_overlap(const Affine2& patch_from_found, int size) {
  const double centre = 0.5 * (size - 1), radius = 0.5 * size;
  const Affine2 disc = Affine2::translation(centre, centre) * Affine2::scaling(radius, radius);
  return ellipse_overlap(disc, patch_from_found * disc);
}

double median(std::vector<double> values) {
  ADA_ASSERT(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double median_noise_overlap(RngKey key, const FrameNoise& ranges, double factor, int count) {
  std::vector<double> overlaps(static_cast<size_t>(count));
  parallel_for(count, [&](int64_t i) {
    overlaps[static_cast<size_t>(i)] =
        disc_overlap(draw_frame_noise(key.at(static_cast<uint64_t>(i)), ranges, factor, kAnySize), kAnySize);
  });
  return median(std::move(overlaps));
}

// The draws are the same at every factor, so that the median falls as the factor grows.
double calibrated_factor(const FrameNoise& ranges, double median_overlap) {
  ranges.validate();
  ADA_USAGE(median_overlap > 0.3 && median_overlap < 1, "median_overlap = {}, must be in (0.3, 1)", median_overlap);
  const RngKey key(0, Draw::kRefound);
  const auto too_weak = [&](double factor) {
    return median_noise_overlap(key, ranges, factor, kCalibrationDraws) > median_overlap;
  };
  double low = 0, high = 1;
  while (too_weak(high)) {
    low = high;
    high *= 2;
    ADA_USAGE(high <= kLargestFactor,
              "FrameNoise has shift = {}, scale = {} and anisotropy = {}, must be large enough for a median overlap of "
              "{}: a turn alone moves no disc",
              ranges.shift, ranges.scale, ranges.anisotropy, median_overlap);
  }
  while (high - low > 1e-4 * high) {
    const double middle = 0.5 * (low + high);
    (too_weak(middle) ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

NoiseLevels noise_levels(const FrameNoise& ranges) {
  ranges.validate();
  NoiseLevels result{.ranges = ranges, .levels = kDefaultLevels};
  if (ranges == FrameNoise()) return result;
  for (NoiseLevel& level : result.levels) {
    level.factor = calibrated_factor(ranges, level.median_overlap);
    const double most = level.factor * ranges.rotation * kFrameNoiseEnds;
    ADA_USAGE(most <= kFullTurn / 2,
              "FrameNoise::rotation = {} leads to turns of {:.0f} degrees at level {}, must be 180 at most: make it "
              "smaller, or shift, scale and anisotropy larger",
              ranges.rotation, most, level.name);
  }
  return result;
}

}  // namespace adasample
