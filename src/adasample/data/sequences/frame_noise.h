// SPDX-License-Identifier: Apache-2.0
// How far a frame is off when a detector finds its keypoint again: turned, shifted, of another scale, and stretched
// along some direction. Every part is normally distributed and cut off at two standard deviations; the ranges are
// those deviations, and their proportions are free. Three levels scale all of them by one factor, chosen so that the
// disc inscribed in the patch and its image have a given median overlap (intersection over union). HPatches states the
// first two medians (about 0.85 and 0.72); the third is ours.
//
// This is the noise of a judge. It must share nothing with the views that training makes up: no file of this room may
// see data/views, and the test `layering` holds it to that (docs/architecture.md).
#pragma once

#include <array>
#include <vector>

#include "adasample/base/random/rng.h"
#include "adasample/image/affine.h"

namespace adasample {

// Standard deviations before the factor of a level.
struct FrameNoise {
  double rotation = 12;      // degrees
  double shift = 0.10;       // along each axis, in half widths of the patch; far ones are cut off in every direction
  double scale = 0.20;       // octaves
  double anisotropy = 0.30;  // octaves between the longer and the shorter axis; only its size counts

  bool operator==(const FrameNoise&) const = default;
  void validate() const;
};

inline constexpr double kFrameNoiseEnds = 2;  // standard deviations
inline constexpr const char* kFrameNoiseName = "normal, cut off at 2 standard deviations";

struct NoiseLevel {
  char letter;            // of the files: e, h, t
  const char* name;       // easy, hard, tough
  double median_overlap;  // intended
  double factor;          // of the ranges
};

struct NoiseLevels {
  FrameNoise ranges;
  std::array<NoiseLevel, 3> levels;
};

// The factors of the default ranges are written down; those of others are calibrated here. Throws a usage Error for
// ranges that cannot reach a median, or that turn a frame by more than half a turn on the way.
NoiseLevels noise_levels(const FrameNoise& ranges = {});

// The factor at which the median is this, in (0.3, 1): bisection over a fixed set of draws. Throws a usage Error where
// shift, scale and anisotropy are all too small to move a disc.
double calibrated_factor(const FrameNoise& ranges, double median_overlap);

// patch_from_found, about the centre of a patch of `size` pixels. A pure function of its arguments; factor 0 is none.
Affine2 draw_frame_noise(RngKey key, const FrameNoise& ranges, double factor, int size);

// Of the disc inscribed in the patch with its image.
double disc_overlap(const Affine2& patch_from_found, int size);

// The median of disc_overlap over `count` draws below `key`.
double median_noise_overlap(RngKey key, const FrameNoise& ranges, double factor, int count);

// Of an even number the lower of the two in the middle. Needs at least one.
double median(std::vector<double> values);

}  // namespace adasample
