// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "adasample/features/detect/detector.h"

namespace adasample {
namespace {

class HessianDetector : public Detector {
 public:
  // sigma^4 times the determinant of the Hessian.
  GrayImage response(const ScalePyramid& pyramid, int octave, int step) const override {
    const ScalePyramid::Level& level = pyramid.level(octave, step);
    const GrayImage& image = level.image;
    const double s = sigma(pyramid, octave, step) / level.spacing;
    const auto scale = static_cast<float>(s * s * s * s);
    GrayImage result(image.width, image.height);
    for (int y = 1; y + 1 < image.height; ++y) {
      const float *above = image.row(y - 1), *here = image.row(y), *below = image.row(y + 1);
      float* out = result.row(y);
      for (int x = 1; x + 1 < image.width; ++x) {
        const float xx = here[x - 1] - 2 * here[x] + here[x + 1];
        const float yy = above[x] - 2 * here[x] + below[x];
        const float xy = 0.25f * (above[x - 1] - above[x + 1] - below[x - 1] + below[x + 1]);
        out[x] = scale * (xx * yy - xy * xy);
      }
    }
    return result;
  }

  // A second difference over pixels of width h is the second derivative of a signal of h^2 / 6 more variance.
  double sigma(const ScalePyramid& pyramid, int octave, int step) const override {
    const ScalePyramid::Level& level = pyramid.level(octave, step);
    return std::sqrt(level.sigma() * level.sigma() + level.spacing * level.spacing / 6);
  }

  double strength(double response) const override { return std::sqrt(response); }
};

}  // namespace

std::unique_ptr<Detector> make_hessian_detector() { return std::make_unique<HessianDetector>(); }

}  // namespace adasample
