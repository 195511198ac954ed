// SPDX-License-Identifier: Apache-2.0
#include "adasample/sampler/pair_weights.h"

#include <limits>

#include "adasample/base/error.h"
#include "adasample/sampler/pair_draw.h"

namespace adasample {

at::Tensor distance_weights(const at::Tensor& d, double floor) {
  const at::Tensor inverse = d.clamp_min(floor).reciprocal();
  return inverse / inverse.mean();
}

at::Tensor log_mean_power(const at::Tensor& distances, const at::Tensor& candidates, const at::Tensor& exponent) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  const at::Tensor d = distances.to(at::kDouble).masked_fill(candidates.logical_not(), 0);  // (n, k)
  const at::Tensor largest = d.max();
  const at::Tensor none = at::full_like(d, kNever), one = at::zeros_like(d);  // log of a term 0 and of a term 1
  // The same limits as relative_probability has: 0^e = 0, d^0 = 1, and under an infinite exponent the largest alone.
  at::Tensor term = at::where(d > 0, exponent * (d.log() - largest.log()), none);
  term = at::where(exponent.isinf(), at::where(d == largest, one, none), term);
  term = at::where((exponent == 0).logical_or(largest == 0), one, term);
  term = term.masked_fill(candidates.logical_not(), kNever);
  return term.logsumexp(1) - candidates.sum(1).to(at::kDouble).log();
}

at::Tensor eq9_weights(const at::Tensor& d, const at::Tensor& log_mean_power) {
  const at::Tensor log_weight = log_mean_power - d.to(at::kDouble).clamp_min(kWeightDistanceFloor).log();
  // The batch's maximum is taken out: that of each class would take the factor Z with it.
  const at::Tensor weight = (log_weight - log_weight.max()).exp();
  return (weight / weight.mean()).clamp_max(kLargestEq9Weight).to(d.dtype());
}

at::Tensor class_weights(const at::Tensor& d, const at::Tensor& distances, const at::Tensor& probability) {
  const at::Tensor inverse = distances.to(at::kDouble).clamp_min(kWeightDistanceFloor).reciprocal();  // (n, k)
  const at::Tensor expected = (probability * inverse).sum(1);
  return (d.to(at::kDouble).clamp_min(kWeightDistanceFloor).reciprocal() / expected).to(d.dtype());
}

at::Tensor pair_weights(PairWeights weights, const at::Tensor& d, const PairDraw& draw, const SamplerInput& input) {
  switch (weights) {
    case PairWeights::kNone:
      return at::ones_like(d);
    case PairWeights::kDistance:
      return distance_weights(d);
    case PairWeights::kEq9: {
      if (!draw.distances.defined()) return eq9_weights(d, at::zeros_like(d, at::kDouble));
      const at::Tensor candidates = candidate_mask(draw.anchor, input.counts, input.k);
      return eq9_weights(d, log_mean_power(draw.distances, candidates, input.exponent));
    }
    case PairWeights::kClass:
      return class_weights(d, draw.distances, draw.probability);
  }
  ADA_THROW_KIND(kBug, "unknown PairWeights");
}

at::Tensor effective_pairs(const at::Tensor& weights) {
  const at::Tensor w = weights.to(at::kDouble);
  return w.sum().square() / w.square().sum();
}

}  // namespace adasample
