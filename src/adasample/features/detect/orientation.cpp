// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/detect/orientation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "adasample/features/detect/detector.h"

namespace adasample {
namespace {

constexpr size_t kBins = 36;
constexpr double kWindow = 1.5;  // sigma of the weights, in keypoint sigmas
constexpr double kReach = 3 * kWindow;
using Histogram = std::array<double, kBins>;

// Steps 1 to 3 of each octave, which between them hold every scale once on the finest grid that is not wasteful.
const ScalePyramid::Level& closest_level(const ScalePyramid& pyramid, double sigma) {
  const ScalePyramid::Level* best = &pyramid.level(0, 0);
  const auto distance = [&](const ScalePyramid::Level& level) { return std::abs(std::log(level.sigma() / sigma)); };
  for (int octave = 0; octave < pyramid.octave_count(); ++octave) {
    for (int step = 1; step <= ScalePyramid::kSteps; ++step) {
      if (distance(pyramid.level(octave, step)) < distance(*best)) best = &pyramid.level(octave, step);
    }
  }
  return *best;
}

Histogram gradient_histogram(const ScalePyramid::Level& level, const Keypoint& k) {
  const GrayImage& image = level.image;
  const double cx = k.x / level.spacing, cy = k.y / level.spacing, sigma = k.sigma / level.spacing;
  const double reach = kReach * sigma, falloff = 0.5 / (kWindow * kWindow * sigma * sigma);
  // Rows and columns with a neighbour on either side.
  const auto first = [&](double c) { return static_cast<int>(std::max(1.0, std::ceil(c - reach))); };
  const auto last = [&](double c, int n) { return static_cast<int>(std::min(n - 2.0, std::floor(c + reach))); };
  Histogram histogram{};
  for (int y = first(cy); y <= last(cy, image.height); ++y) {
    for (int x = first(cx); x <= last(cx, image.width); ++x) {
      const double square = (x - cx) * (x - cx) + (y - cy) * (y - cy);
      if (square > reach * reach) continue;
      const double dx = image.at(x + 1, y) - image.at(x - 1, y), dy = image.at(x, y + 1) - image.at(x, y - 1);
      const double turns = std::atan2(dy, dx) / (2 * std::numbers::pi);  // in [-1/2, 1/2]
      const auto bin = static_cast<size_t>(std::lround(kBins * (turns + 1))) % kBins;
      histogram[bin] += std::hypot(dx, dy) * std::exp(-falloff * square);
    }
  }
  return histogram;
}

Histogram smoothed(const Histogram& in) {
  Histogram out;
  for (size_t i = 0; i < kBins; ++i) {
    const auto at = [&](size_t offset) { return in[(i + kBins + offset - 2) % kBins]; };
    out[i] = (at(0) + at(4) + 4 * (at(1) + at(3)) + 6 * at(2)) / 16;
  }
  return out;
}

}  // namespace

double dominant_orientation(const ScalePyramid& pyramid, const Keypoint& keypoint) {
  const Histogram histogram = smoothed(gradient_histogram(closest_level(pyramid, keypoint.sigma), keypoint));
  const auto best = static_cast<size_t>(std::max_element(histogram.begin(), histogram.end()) - histogram.begin());
  const double peak = static_cast<double>(best) + parabola_peak(histogram[(best + kBins - 1) % kBins], histogram[best],
                                                                histogram[(best + 1) % kBins]);
  return std::remainder(peak / kBins, 1.0) * 2 * std::numbers::pi;
}

}  // namespace adasample
