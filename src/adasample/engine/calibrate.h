// SPDX-License-Identifier: Apache-2.0
// Measures what int8 has to know of a network: for each layer the range that loses least, in the mean square, on given
// patches.
#pragma once

#include <span>

#include "adasample/model/calibration.h"

namespace adasample {

// patches: count x size x size bytes, size 32 or 64; a few hundred of the kind to be described are enough. Throws Error
// in a build without oneDNN.
Calibration calibrate(const Weights& weights, std::span<const uint8_t> patches, int64_t count, int size);

// The range r that loses least when numbers are rounded to steps of r / 255 and cut off at r. histogram: how many fell
// into each of equal bins from 0 to `largest`.
float best_range(std::span<const int64_t> histogram, float largest);

}  // namespace adasample
