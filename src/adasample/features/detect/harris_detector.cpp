// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "adasample/features/detect/detector.h"

namespace adasample {
namespace {

constexpr float kTraceWeight = 0.04f;  // Harris and Stephens'
constexpr double kInner = 0.7;         // sigma of the gradients, in sigmas of the window; Mikolajczyk and Schmid's

class HarrisDetector : public Detector {
 public:
  GrayImage response(const ScalePyramid& pyramid, int octave, int step) const override {
    const ScalePyramid::Level& level = pyramid.level(octave, step);
    const GrayImage& image = level.image;
    const double window = sigma(pyramid, octave, step) / level.spacing;
    GrayImage xx(image.width, image.height), xy = xx, yy = xx;
    for (int y = 1; y + 1 < image.height; ++y) {
      const float *above = image.row(y - 1), *here = image.row(y), *below = image.row(y + 1);
      for (int x = 1; x + 1 < image.width; ++x) {
        const float dx = 0.5f * (here[x + 1] - here[x - 1]), dy = 0.5f * (below[x] - above[x]);
        xx.at(x, y) = dx * dx;
        xy.at(x, y) = dx * dy;
        yy.at(x, y) = dy * dy;
      }
    }
    for (GrayImage* moment : {&xx, &xy, &yy}) *moment = gaussian_blur(*moment, window);
    const auto scale = static_cast<float>(std::pow(kInner * window, 4));
    GrayImage result(image.width, image.height);
    for (int y = 1; y + 1 < image.height; ++y) {
      for (int x = 1; x + 1 < image.width; ++x) {
        const float a = xx.at(x, y), b = xy.at(x, y), c = yy.at(x, y);
        result.at(x, y) = scale * (a * c - b * b - kTraceWeight * (a + c) * (a + c));
      }
    }
    return result;
  }

  // A central difference over pixels of width h is the derivative of a signal of h^2 / 3 more variance.
  double sigma(const ScalePyramid& pyramid, int octave, int step) const override {
    const ScalePyramid::Level& level = pyramid.level(octave, step);
    return std::sqrt(level.sigma() * level.sigma() + level.spacing * level.spacing / 3) / kInner;
  }

  double strength(double response) const override { return std::sqrt(std::sqrt(response)); }
  bool chooses_scale() const override { return false; }
};

}  // namespace

std::unique_ptr<Detector> make_harris_detector() { return std::make_unique<HarrisDetector>(); }

}  // namespace adasample
