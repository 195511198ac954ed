// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/scale_pyramid.h"

#include <algorithm>
#include <cmath>

#include "adasample/base/error.h"

namespace adasample {
namespace {

constexpr double kSharpSigma = 0.5;
constexpr int kSmallestSide = 8;

}  // namespace

double ScalePyramid::Level::sigma() const { return std::hypot(kSharpSigma, blur); }

ScalePyramid::ScalePyramid(GrayImage image) {
  ADA_ASSERT(!image.pixels.empty());
  levels_.push_back({std::move(image), 1.0, 0.0});
  for (int octave = 0;; ++octave) {
    const double spacing = std::exp2(octave);
    for (int step = octave == 0 ? 1 : 2; step <= kSteps + 1; ++step) {
      const Level& previous = levels_.back();
      const double reduction = spacing * std::exp2(static_cast<double>(step) / kSteps);
      const double blur = kSigmaPerReduction * std::sqrt(reduction * reduction - 1);
      const double more = std::sqrt(blur * blur - previous.blur * previous.blur);
      GrayImage blurred = gaussian_blur(previous.image, more / spacing);
      levels_.push_back({std::move(blurred), spacing, blur});
    }
    // Steps 3 and 4 of this octave are steps 0 and 1 of the next. (Blurring 0 into 1 there would take a kernel too
    // narrow for its grid.)
    if (std::min(levels_.back().image.width, levels_.back().image.height) < 2 * kSmallestSide) return;
    for (const int step : {kSteps, kSteps + 1}) {
      GrayImage halved = subsample(level(octave, step).image);
      levels_.push_back({std::move(halved), 2 * spacing, level(octave, step).blur});
    }
  }
}

}  // namespace adasample
