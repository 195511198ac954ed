// SPDX-License-Identifier: Apache-2.0
// How much a drawn pair counts in the step. A pair is drawn with probability
//   1/N for its class,  1/k_c for its anchor,  p_i = d_i^e / Z for its positive,  Z = sum of d_j^e over m = k_c - 1
// candidates j, all of the class but the anchor. With the surrogate L = d^2 and e = 2 alpha - 1 the choices are
//   none      1
//   distance  (1/d_i) / batch mean                 Eq. 12, word by word
//   eq9       (Z/m)/d_i / batch mean, at most 10   unbiased for grad of the mean of L^alpha: over the pairs of a class,
//                                                  then over classes
//   class     (1/d_i) / sum_j p_j / d_j            the same direction in each class, but each class counts alike
// docs/method.md derives them. d is floored at 1e-2 where it divides. All are constants under differentiation.
#pragma once

#include <torch/torch.h>

#include "adasample/sampler/sampler.h"

namespace adasample {

inline constexpr double kWeightDistanceFloor = 1e-2;
// Of eq9, in batch means: e = 10 makes a class twice as wide as another count a thousand times as much, and one such
// class would be the whole step.
inline constexpr double kLargestEq9Weight = 10;

// (n). d: distance of the drawn pairs.
at::Tensor distance_weights(const at::Tensor& d, double floor = kWeightDistanceFloor);

// (n). log_mean_power (n): log(Z/m), up to a term that all classes share.
at::Tensor eq9_weights(const at::Tensor& d, const at::Tensor& log_mean_power);

// log((1/m) sum over the candidates of (d_j / D)^e), D the largest d of the whole batch: -infinity where all d_j are 0
// and e is positive, or e is infinite and none is D. distances, candidates: (n, k); exponent: () -> (n) double
at::Tensor log_mean_power(const at::Tensor& distances, const at::Tensor& candidates, const at::Tensor& exponent);

// (n). distances, probability: (n, k).
at::Tensor class_weights(const at::Tensor& d, const at::Tensor& distances, const at::Tensor& probability);

// The policy's. `d` (n) is given by itself because a uniform draw has measured no other distances (draw.distances is
// undefined); Z/m is 1 then.
at::Tensor pair_weights(PairWeights weights, const at::Tensor& d, const PairDraw& draw, const SamplerInput& input);

// Effective sample size, (sum w)^2 / sum w^2: as how many equal weights these are. ()
at::Tensor effective_pairs(const at::Tensor& weights);

}  // namespace adasample
