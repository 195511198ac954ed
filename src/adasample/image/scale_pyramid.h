// SPDX-License-Identifier: Apache-2.0
// An image at a ladder of reductions r = 2^(octave + step / 3). Level r carries the blur that makes it safe to take a
// sample every r pixels: 0.8 sqrt(r^2 - 1), which tops the 0.5 pixels or so of a sharp photograph up to 0.8 r. Each
// octave halves the pixel grid. Steps run from 0 to 4, one beyond the octave on either side, so that the blob detector
// finds three complete steps and both their neighbours on one grid.
#pragma once

#include <vector>

#include "adasample/image/image.h"

namespace adasample {

class ScalePyramid {
 public:
  static constexpr int kSteps = 3;  // per octave
  static constexpr double kSigmaPerReduction = 0.8;

  struct Level {
    GrayImage image;
    double spacing = 1;  // of its pixels, in pixels of the original; pixel (0, 0) coincides with the original's
    double blur = 0;     // Gaussian sigma added to the original, in pixels of the original
    // The scale of a structure seen here, in pixels of the original, for an original of sigma 0.5.
    double sigma() const;
  };

  // Octaves are added until the shorter side is below eight pixels.
  explicit ScalePyramid(GrayImage image);

  int width() const { return levels_.front().image.width; }
  int height() const { return levels_.front().image.height; }
  int octave_count() const { return static_cast<int>(levels_.size()) / (kSteps + 2); }
  const Level& level(int octave, int step) const {  // step 0 .. kSteps + 1
    return levels_[static_cast<size_t>(octave * (kSteps + 2) + step)];
  }

 private:
  std::vector<Level> levels_;
};

}  // namespace adasample
