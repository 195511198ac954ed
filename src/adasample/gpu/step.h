// SPDX-License-Identifier: Apache-2.0
// The end of an iteration on the GPU: the SGD step of train/sgd.h over all arrays at once; dropout.
#pragma once

#include "adasample/base/random/rng.h"
#include "adasample/gpu/gpu.h"

namespace adasample::gpu {

struct SgdArray {
  float *weight, *momentum;
  const float* gradient;
  int64_t count;
};
inline constexpr int kMostSgdArrays = 8;

struct SgdRule {
  float momentum, dampening, weight_decay;
};

// finite: () bool, whether the step was taken: every new weight is finite. taken: () bool, becomes true with the first
// step. Else weights and momenta stay as they are.
void sgd_step(const SgdArray* arrays, int count, const SgdRule& rule, const double* learning_rate, bool* taken,
              bool* finite, Stream stream);

// x <- x / (1 - p) where a number of (key, iteration, index) is not below p, else 0; in place. The same call with the
// gradient is the backward pass. count: a multiple of 8.
void dropout(void* x, Element element, int64_t count, double p, RngKey key, const int64_t* iteration, Stream stream);

}  // namespace adasample::gpu
