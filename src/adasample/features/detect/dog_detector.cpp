// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "adasample/features/detect/detector.h"

namespace adasample {
namespace {

constexpr double kMostElongated = 10;  // ratio of the principal curvatures; Lowe's
constexpr int kLastStep = ScalePyramid::kSteps + 1;

double variance(const ScalePyramid::Level& level) { return level.sigma() * level.sigma(); }

// Of the level one step above (octave, step), which the octave may not hold.
double variance_above(const ScalePyramid& pyramid, int octave, int step) {
  if (step < kLastStep) return variance(pyramid.level(octave, step + 1));
  return variance(pyramid.level(octave, step)) * std::exp2(2.0 / ScalePyramid::kSteps);
}

class DogDetector : public Detector {
 public:
  // By the heat equation the difference of variances t1 < t2 is (t2 - t1) / 2 times the Laplacian.
  GrayImage response(const ScalePyramid& pyramid, int octave, int step) const override {
    const ScalePyramid::Level& level = pyramid.level(octave, step);
    const double low = variance(level), high = variance_above(pyramid, octave, step);
    const GrayImage more_blurred =
        step < kLastStep ? GrayImage() : gaussian_blur(level.image, std::sqrt(high - low) / level.spacing);
    const GrayImage& above = step < kLastStep ? pyramid.level(octave, step + 1).image : more_blurred;
    const auto scale = static_cast<float>(0.5 * (low + high) / (high - low));
    GrayImage result(level.image.width, level.image.height);
    for (int y = 1; y + 1 < result.height; ++y) {
      for (int x = 1; x + 1 < result.width; ++x) {
        result.at(x, y) = scale * std::abs(above.at(x, y) - level.image.at(x, y));
      }
    }
    return result;
  }

  double sigma(const ScalePyramid& pyramid, int octave, int step) const override {
    return std::sqrt(0.5 * (variance(pyramid.level(octave, step)) + variance_above(pyramid, octave, step)));
  }

  double strength(double response) const override { return response; }

  bool accepts(const GrayImage& d, int x, int y) const override {
    const double xx = d.at(x - 1, y) - 2 * d.at(x, y) + d.at(x + 1, y);
    const double yy = d.at(x, y - 1) - 2 * d.at(x, y) + d.at(x, y + 1);
    const double xy = 0.25 * (d.at(x - 1, y - 1) - d.at(x + 1, y - 1) - d.at(x - 1, y + 1) + d.at(x + 1, y + 1));
    const double trace = xx + yy, determinant = xx * yy - xy * xy;
    return trace * trace * kMostElongated < determinant * (kMostElongated + 1) * (kMostElongated + 1);
  }
};

}  // namespace

std::unique_ptr<Detector> make_dog_detector() { return std::make_unique<DogDetector>(); }

}  // namespace adasample
