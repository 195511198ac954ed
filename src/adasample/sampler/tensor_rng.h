// SPDX-License-Identifier: Apache-2.0
// base/random/rng.h on tensors: the same numbers, for many keys at once, on any device, without a host number that
// changes.
#pragma once

#include <torch/torch.h>

#include "adasample/base/random/rng.h"

namespace adasample {

// Appends one word to keys: int64 tensors hold the 64-bit states, `state` and `word` broadcast.
at::Tensor absorb(const at::Tensor& state, const at::Tensor& word);

// RngKey(seed, draw).at(iteration).at(class).uniform() for every class: iteration is a zero-dimensional int64 tensor,
// classes (n) int64 -> (n) double in [0, 1).
at::Tensor uniform(uint64_t seed, Draw draw, const at::Tensor& iteration, const at::Tensor& classes);

}  // namespace adasample
