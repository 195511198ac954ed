// SPDX-License-Identifier: Apache-2.0
// Anchor and positive of every class on the GPU (sampler/policy.h says what is drawn): one warp a class.
#pragma once

#include "adasample/base/random/rng.h"
#include "adasample/gpu/gpu.h"

namespace adasample::gpu {

struct PairDrawInput {
  int64_t n, k;              // k at most kMostCandidates
  const float* descriptors;  // (n, k, 128)
  const int64_t* counts;     // (n)
  const int64_t* classes;    // (n)
  const int64_t* iteration;  // ()
  const double* exponent;    // (), may be infinite
  uint64_t seed;
  bool angular;
};

struct PairDrawOutput {
  int64_t *anchor, *positive;  // (n)
  float* distance;             // (n)
  float* distances;            // (n, k); 0 for padding
  double* probability;         // (n, k)
};

inline constexpr int64_t kMostCandidates = 128;

void draw_pairs(const PairDrawInput& input, const PairDrawOutput& output, Stream stream);

}  // namespace adasample::gpu
