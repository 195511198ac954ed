// SPDX-License-Identifier: Apache-2.0
// Measures what int8 has to know of a network: for each layer the range that loses least, in the mean square, on given
// patches.
#pragma once

#include <memory>
#include <span>

#include "adasample/model/calibration.h"

namespace adasample {

class Calibrator {
 public:
  // Throws Error in a build without oneDNN.
  Calibrator();
  ~Calibrator();

  // patches: count x size x size bytes, size 32 or 64; a few hundred of the kind to be described are enough.
  Calibration measure(const Weights& weights, std::span<const uint8_t> patches, int64_t count, int size);

  static constexpr int64_t kBatch = 32;  // so many take one pass of the network, more take two each

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The same, once.
Calibration calibrate(const Weights& weights, std::span<const uint8_t> patches, int64_t count, int size);

// The range r that loses least when numbers are rounded to steps of r / 255 and cut off at r. histogram: how many fell
// into each of equal bins from 0 to `largest`; zeros, which are exact, do not count.
float best_range(std::span<const int64_t> histogram, float largest);

}  // namespace adasample
