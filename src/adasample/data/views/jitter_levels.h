// SPDX-License-Identifier: Apache-2.0
// The noise levels of HPatches: how far a frame is off when its keypoint is found again. A warp of data/views/views.h
// is drawn with a strength at which the disc inscribed in the patch and its image have a given median overlap. HPatches
// states the first two medians (about 0.85 and 0.72); the third is ours.
#pragma once

#include <span>
#include <vector>

#include "adasample/base/random/rng.h"
#include "adasample/image/affine.h"

namespace adasample {

struct JitterLevel {
  char letter;            // of the files: e, h, t
  const char* name;       // easy, hard, tough
  double median_overlap;  // intended
  double strength;        // calibrated_strength(median_overlap), to three decimals
};

std::span<const JitterLevel> jitter_levels();

// Of the disc inscribed in the patch with its image under the warp.
double warp_overlap(const Affine2& patch_from_view, int size);

// The strength at which warps have this median overlap, in (0.3, 1): bisection over a fixed set of draws.
double calibrated_strength(double median_overlap);

// The median of warp_overlap over `count` warps of this strength.
double median_warp_overlap(RngKey key, double strength, int count);

// Of an even number the lower of the two in the middle. Needs at least one.
double median(std::vector<double> values);

}  // namespace adasample
